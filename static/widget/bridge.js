/**
 * Talks with the loader on the host page. Both sides check window and origin. The page's origin
 * comes from the browser, never from a message; without it the bridge stays deaf and says nothing.
 */
function parentOrigin() {
  if (window.parent === window) return null;
  const [nearest] = window.location.ancestorOrigins ?? [];
  if (nearest) return nearest;
  return document.referrer ? new URL(document.referrer).origin : null;
}

export function createBridge(heard) {
  const origin = parentOrigin();

  function tell(type, more = {}) {
    if (origin) window.parent.postMessage({ turnstone: 1, type, ...more }, origin);
  }

  window.addEventListener("message", (event) => {
    if (!origin || event.source !== window.parent || event.origin !== origin) return;
    const { data } = event;
    if (data?.turnstone === 1 && Object.hasOwn(heard, data.type)) heard[data.type](data);
  });
  return { tell, embedded: Boolean(origin) };
}
