import { LARGEST } from "./kinds.js";

/** Why a file could not be uploaded, and whether the same one may be tried again. */

const BY_STATUS = { 400: "fileBad", 413: "fileTooLarge", 415: "fileWrongKind" };
const BY_CODE = { empty: "fileEmpty", expired: "fileExpired", lost: "fileLost", many: "fileMany" };
const LONG = 600; // seconds: whoever is to come back so late has sent what a day allows

const isDaily = ({ status, retryAfter = 0 }) => status === 429 && retryAfter > LONG;

/** The name of the words that say it. */
export function wordsFor(problem, size) {
  const { status, code } = problem;
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  if (isDaily(problem)) return "fileDaily";
  if (status === 413 && size <= LARGEST) return "filePixels";
  if (Object.hasOwn(BY_STATUS, status)) return BY_STATUS[status];
  if (status === 429) return "fileOften";
  return status === 0 && !navigator.onLine ? "fileOffline" : "fileFailed";
}

export function mayRetry(problem) {
  const { status, code } = problem;
  return !Object.hasOwn(BY_CODE, code) && !Object.hasOwn(BY_STATUS, status) && !isDaily(problem);
}
