/** The schemas of tools and answers: JSON schemas, or those of a library that can describe itself as one. */
import * as z from 'zod';
import { compileSchema } from '../tools/jsonSchema.ts';
import { messageOf } from './errors.ts';

export interface ReadSchema {
  /** A JSON schema of an object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Checks a value, and converts it as the schema says. Rejects only if the schema's own code throws. */
  readonly parse: (value: unknown) => Promise<Parsed>;
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

type Converter = (options: { readonly target: string }) => unknown;
const isFunction = (value: unknown): boolean => typeof value === 'function';

const standard = z.looseObject({
  '~standard': z.looseObject({
    validate: z.custom<(value: unknown) => unknown>(isFunction),
    jsonSchema: z.looseObject({ input: z.custom<Converter>(isFunction) }).optional(),
  }),
});
const validated = z.union([
  z.looseObject({
    issues: z.array(z.looseObject({ message: z.string(), path: z.array(z.unknown()).optional() })),
  }),
  z.looseObject({ issues: z.undefined().optional(), value: z.unknown() }),
]);
const ofObject = z.looseObject({ type: z.literal('object') });

/** Throws an error that is ready to show, without its subject: "is not …". */
export function readSchema(given: unknown): ReadSchema {
  // Schemas of some libraries are functions with properties.
  const library = standard.safeParse(typeof given === 'function' ? { ...given } : given);
  if (library.success) return ofLibrary(library.data['~standard']);
  const json = ofObject.safeParse(given);
  if (!json.success) throw new Error('is not a JSON schema with "type": "object"');
  return ofJson(json.data);
}

function ofLibrary({ validate, jsonSchema }: z.infer<typeof standard>['~standard']): ReadSchema {
  if (jsonSchema === undefined)
    throw new Error(
      'cannot be described as a JSON schema: pass one, or use a library that can do so, such as zod from 4.2 on',
    );
  const json = ofObject.safeParse(jsonSchema.input({ target: 'draft-2020-12' }));
  if (!json.success) throw new Error('is not a schema of an object');
  return {
    json: json.data,
    async parse(value) {
      const result = validated.parse(await validate(value));
      if (result.issues === undefined) return { ok: true, value: result.value };
      const issues = result.issues.slice(0, 10);
      const lines = issues.map(({ path = [], message }) =>
        [path.map(keyOf).join('.'), message].filter(Boolean),
      );
      return {
        ok: false,
        message: lines
          .map((line) => line.join(': '))
          .join('; ')
          .slice(0, 2000),
      };
    },
  };
}

/** A part of an issue's path: a key, or an object with one. */
function keyOf(part: unknown): string {
  const { key = part } = typeof part === 'object' && part !== null ? (part as { key?: unknown }) : {};
  return String(key);
}

function ofJson(json: Readonly<Record<string, unknown>>): ReadSchema {
  let mistakesIn: ReturnType<typeof compileSchema>;
  try {
    mistakesIn = compileSchema(json);
  } catch (error) {
    throw new Error(`is not a valid JSON schema: ${messageOf(error)}`);
  }
  return {
    json,
    async parse(value) {
      const message = mistakesIn(value);
      return message === undefined ? { ok: true, value } : { ok: false, message };
    },
  };
}
