/** Messages of stream-json with which a program and its driver answer each other's requests. */
import * as z from 'zod';

/** The answer to a `control_request`; the same in both directions. */
export const controlResponseSchema = z.looseObject({
  response: z.discriminatedUnion('subtype', [
    z.looseObject({
      subtype: z.literal('success'),
      request_id: z.string(),
      response: z.unknown().optional(),
    }),
    z.looseObject({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
  ]),
});
