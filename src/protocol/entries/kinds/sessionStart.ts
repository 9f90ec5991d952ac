import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** The header: the frozen system prompt, environment, preferences and configuration. */
export const sessionStart = defineKind({
  subtype: 'session_start',
  type: 'system',
  data: z.object({
    systemPrompt: z.string().optional(),
    /** Marks the program's own notes to the model; chosen once for each session. */
    noteKey: z.string().optional(),
    environment: z.record(z.string(), z.unknown()).optional(),
    preferences: z.record(z.string(), z.unknown()).optional(),
    configuration: z.record(z.string(), z.unknown()).optional(),
    userId: z.string().optional(),
    /** The session that this one is a copy of. */
    forkedFrom: z.string().optional(),
  }),
  isSent: false,
  reshapes: true,
  stays: 'all',
});
