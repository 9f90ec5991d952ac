/** For the SDKs: they log to the console, which belongs to the screen. */
export const silentLogger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
