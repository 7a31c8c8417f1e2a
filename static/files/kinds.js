/** What a file is to people: a kind with an icon and a word, and a size. */

/** As the desk has it; what is larger is not even sent. */
export const LARGEST = 10 * 1024 * 1024;
export const MOST = 5;

const OFFICE = "application/vnd.openxmlformats-officedocument.";
const KINDS = [
  ["image/", "picture", "Picture"],
  ["application/pdf", "page", "Pdf"],
  [`${OFFICE}spreadsheetml`, "table", "Sheet"],
  [`${OFFICE}presentationml`, "slides", "Slides"],
  ["text/", "page", "Text"],
];
const OTHER = ["", "page", "Document"];

/** `icon` in the page's sprite, and `word`, the name of what the kind is called. */
export function kindOf(mediaType = "") {
  const [, icon, word] = KINDS.find(([start]) => mediaType.startsWith(start)) ?? OTHER;
  return { icon, word: `kind${word}` };
}

export const isPicture = (mediaType = "") => mediaType.startsWith("image/");

export function sizeOf(bytes, locale) {
  const [unit, size] = bytes < 1024 * 1024 ? ["kilobyte", 1024] : ["megabyte", 1024 * 1024];
  const digits = unit === "megabyte" ? 1 : 0;
  const format = new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: digits });
  return format.format(Math.max(unit === "kilobyte" ? 1 : 0, bytes / size));
}

/** Kind and size in one line, each with its own direction. */
export function aboutFile(mediaType, size, words, locale) {
  const parts = [words(kindOf(mediaType).word), sizeOf(size, locale)];
  return parts.map((part) => `\u2068${part}\u2069`).join(" · ");
}
