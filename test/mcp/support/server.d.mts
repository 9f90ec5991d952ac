/** Answers the messages of one connection; see the file beside this one. */
export function createAnswers(
  send: (message: object) => void,
  modes?: readonly string[],
): (message: object, signal?: AbortSignal) => Promise<unknown>;
