/** Validation against a JSON schema, draft 7 or 2020-12. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const MAX_ERRORS = 10;

/**
 * Returns a function that says what is wrong with a value, or undefined if it fits. Throws an error that is ready to
 * show if this is not a JSON schema.
 */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): (value: unknown) => string | undefined {
  const isOld = /draft-0[67]/.test(typeof schema.$schema === 'string' ? schema.$schema : '');
  // Unknown keywords and formats are notes to the model.
  const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const;
  const { $schema: _, ...own } = schema;
  try {
    const validate: ValidateFunction = (isOld ? new Ajv(options) : new Ajv2020(options)).compile(own);
    return (value) => (validate(value) ? undefined : errorsOf(validate));
  } catch (error) {
    throw new Error((error as Error).message.slice(0, 300));
  }
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
