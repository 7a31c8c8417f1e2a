/** Files that are dragged onto the page or pasted into it; `ready()` says whether they are taken. */
export function createDrops({ cover, ready, onFiles }) {
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  const show = (on) => {
    if (cover()) cover().hidden = !on;
  };

  function over(event) {
    if (!carries(event)) return;
    event.preventDefault(); // else the browser would leave the page for the file
    event.dataTransfer.dropEffect = ready() ? "copy" : "none";
    show(ready());
  }

  function drop(event) {
    if (!carries(event)) return;
    event.preventDefault();
    show(false);
    if (ready()) onFiles([...event.dataTransfer.files]);
  }

  function paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    // Words that were copied from a document bring a picture of themselves along.
    const words = event.clipboardData?.types.includes("text/plain");
    if (!files.length || words || !ready(event.target)) return;
    event.preventDefault();
    onFiles(files);
  }

  document.addEventListener("dragenter", over);
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && show(false));
  document.addEventListener("drop", drop);
  document.addEventListener("paste", paste);
}
