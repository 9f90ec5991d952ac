/**
 * Owns the directories that belong to the workspace besides the project. `/add-dir` adds to them during a session, so
 * others keep the function that returns them, not what it returned.
 */

export interface AddedDirectories {
  /** Absolute, links resolved. Another array once one was added. */
  directories(): readonly string[];
  /**
   * Files that sessions of the workspace's folders run outside the sandbox, by settings that may not apply here;
   * absolute. Change only together with the directories.
   */
  scripts(): readonly string[];
  add(directory: string, scripts: readonly string[]): void;
}

export function createAddedDirectories(
  given: readonly string[],
  givenScripts: readonly string[] = [],
): AddedDirectories {
  let directories = given;
  let scripts = givenScripts;
  return {
    directories: () => directories,
    scripts: () => scripts,
    add(directory, more) {
      if (directories.includes(directory)) return;
      scripts = [...scripts, ...more];
      directories = [...directories, directory];
    },
  };
}

/** Returns a function that calls `make` again once the value is another one. */
export function derivedFrom<V, R>(current: () => V, make: (value: V) => R): () => R {
  let made: { readonly from: V; readonly result: R } | undefined;
  return () => {
    const from = current();
    if (made === undefined || made.from !== from) made = { from, result: make(from) };
    return made.result;
  };
}
