/** Why a file could not be uploaded, and whether the same one may be tried again. */

const BY_STATUS = { 400: "fileBad", 413: "fileTooLarge", 415: "fileWrongKind" };
const BY_CODE = { file_empty: "fileEmpty", file_daily_limit: "fileDaily", lost: "fileLost", many: "fileMany" };

/** The name of the words that say it. */
export function wordsFor({ status, code }) {
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  if (Object.hasOwn(BY_STATUS, status)) return BY_STATUS[status];
  if (status === 429) return "fileOften";
  return status === 0 && !navigator.onLine ? "fileOffline" : "fileFailed";
}

export const mayRetry = ({ status, code }) =>
  !Object.hasOwn(BY_CODE, code) && !Object.hasOwn(BY_STATUS, status);
