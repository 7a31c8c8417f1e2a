const NEAR = 60; // pixels from the end within which a reader follows along

/** Follows the end while the reader is there; otherwise offers a pill and never jumps. */
export function createScroller(box, pill) {
  let following = true;
  const gap = () => box.scrollHeight - box.scrollTop - box.clientHeight;

  function toEnd() {
    box.scrollTop = box.scrollHeight;
    following = true;
    pill.hidden = true;
  }

  box.addEventListener("scroll", () => {
    following = gap() < NEAR;
    if (following) pill.hidden = true;
  });
  pill.addEventListener("click", () => {
    toEnd();
    box.focus({ preventScroll: true });
  });
  // The composer grows, a keyboard opens: whoever stood at the end still does.
  new ResizeObserver(() => following && toEnd()).observe(box);

  const isOwn = (entry) => entry.kind === "pending";
  const isSaid = (entry) => entry.kind === "event" || entry.row?.author?.kind !== "customer";
  return {
    toEnd,
    /** `added` are the new entries, null for the first drawing. */
    keep(draw, added) {
      const follow = following || !added || added.some(isOwn);
      draw();
      if (follow) toEnd();
      else if (added.some(isSaid)) pill.hidden = false;
    },
    holdTop(draw) {
      const [height, top] = [box.scrollHeight, box.scrollTop];
      const was = following;
      following = false;
      draw();
      box.scrollTop = top + box.scrollHeight - height;
      following = was && gap() < NEAR;
      pill.hidden = true;
    },
  };
}
