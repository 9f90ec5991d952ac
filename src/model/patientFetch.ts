/**
 * Node's fetch gives up when no header has come for five minutes. A local server that is reading a long
 * prompt may need longer, and our own timers decide about that.
 */

/** The global fetch, willing to wait `timeoutMs` for the headers and between pieces of the body. */
export function patientFetch(timeoutMs: number): typeof fetch {
  let dispatcher: Promise<object | undefined> | undefined;
  return async (input, init) => {
    dispatcher ??= makeDispatcher(timeoutMs);
    const own = await dispatcher;
    return fetch(input, own === undefined ? init : ({ ...init, dispatcher: own } as RequestInit));
  };
}

/**
 * A connection pool of the class that Node uses itself (the one that heeds proxy variables, if it was asked
 * to). Node offers no public way to it; where the private one is missing, the five minutes stay.
 */
async function makeDispatcher(timeoutMs: number): Promise<object | undefined> {
  try {
    await fetch('data:,'); // loads the built-in client, which then leaves its pool under this symbol
    const pool: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
    const Pool: unknown = typeof pool === 'object' && pool !== null ? pool.constructor : undefined;
    if (typeof Pool !== 'function' || !/^(?:EnvHttpProxy)?Agent$/.test(Pool.name)) return undefined;
    const made: unknown = Reflect.construct(Pool, [{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs }]);
    return typeof made === 'object' && made !== null ? made : undefined;
  } catch {
    return undefined;
  }
}
