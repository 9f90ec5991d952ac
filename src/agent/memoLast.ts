/**
 * Remembers what a function of the log gave for the log as it last was. The log is a frozen array that is another
 * one after each entry, so that the same array is the same log; the screen asks many times for each of them.
 */
export function memoLast<Log extends readonly unknown[], Result>(
  read: (log: Log) => Result,
): (log: Log) => Result {
  let last: { readonly log: Log; readonly result: Result } | undefined;
  return (log) => {
    if (last === undefined || last.log !== log || !Object.isFrozen(log)) last = { log, result: read(log) };
    return last.result;
  };
}
