/**
 * The one place that puts markup into the page. The desk has sanitised it (field `html` of a
 * message); the page's CSP lets no other string become markup.
 */
const policy = window.trustedTypes?.createPolicy("turnstone", { createHTML: (html) => html });

/** Shows sanitised markup of the desk; its links open outside the frame. */
export function showHtml(node, html) {
  node.innerHTML = policy ? policy.createHTML(html) : html;
  for (const link of node.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  for (const block of node.querySelectorAll("p, ul, ol, blockquote, h1, h2, h3, h4")) {
    block.dir = "auto";
  }
  for (const wide of node.querySelectorAll("pre, table")) wide.tabIndex = 0;
}
