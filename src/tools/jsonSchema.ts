/** Validation against a JSON schema, draft 7 or 2020-12. */
import { runInNewContext } from 'node:vm';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const MAX_ERRORS = 10;
/**
 * Milliseconds for one validation, or for compiling the schema. A pattern such as `(a+)+$`, references that double at
 * each level, or `uniqueItems` can take years for a value of a few characters.
 */
const MAX_CHECK_MS = 1000;
/** Attempts on a machine so busy that time is up before the thread got the processor time that it needs. Each has twice as long. */
const MAX_ATTEMPTS = 5;
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Returns a function that describes what is wrong with a value, or returns undefined if it is valid. Throws an error
 * with a message for the user if this is not a JSON schema.
 */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): (value: unknown) => string | undefined {
  const isOld = /draft-0[67]/.test(typeof schema.$schema === 'string' ? schema.$schema : '');
  // Unknown keywords and formats are hints for the model.
  const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const;
  const { $schema: _, ...keywords } = schema;
  try {
    const validate: ValidateFunction = withTimeLimit(() =>
      (isOld ? new Ajv(options) : new Ajv2020(options)).compile(keywords),
    );
    return (value) => {
      try {
        return withTimeLimit(() => validate(value)) ? undefined : errorsOf(validate);
      } catch (error) {
        return `it could not be validated: ${reasonOf(error)}`;
      }
    };
  } catch (error) {
    throw new Error(reasonOf(error));
  }
}

/**
 * Runs the action; throws if it exceeds the time limit. Interrupts loops and patterns alike. If this thread got little
 * processor time meanwhile, the machine was busy: then it tries again.
 */
function withTimeLimit<T>(action: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const before = cpuUsage();
    try {
      const timeout = MAX_CHECK_MS * 2 ** (attempt - 1);
      return runInNewContext('action()', { action }, { timeout }) as T;
    } catch (error) {
      const { user, system } = cpuUsage(before);
      const hadTime = (user + system) / 1000 > MAX_CHECK_MS / 2;
      const isTimeout = (error as NodeJS.ErrnoException).code === TIMED_OUT;
      if (!isTimeout || hadTime || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Of this thread, or of the whole process before Node 23.9. */
const cpuUsage: typeof process.cpuUsage = (before) =>
  (process.threadCpuUsage ?? process.cpuUsage).call(process, before);

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === TIMED_OUT) return 'validation takes too long';
  // A reference that leads back to itself without going deeper into the value.
  if (error instanceof RangeError) return 'the schema refers to itself, or the value is nested too deeply';
  return message.slice(0, 300);
}

function errorsOf({ errors }: ValidateFunction): string {
  const lines = (errors ?? []).slice(0, MAX_ERRORS).map(lineOf);
  return lines.join('; ').slice(0, 2000);
}

function lineOf({ instancePath, message = 'is invalid', params }: ErrorObject): string {
  const where = instancePath === '' ? 'the object' : instancePath;
  const which = 'additionalProperty' in params ? ` (${String(params.additionalProperty).slice(0, 60)})` : '';
  return `${where} ${message}${which}`;
}
