import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** Where a compaction begins: after it, only the summary and what it retains count. See `compactMetadata`. */
export const compactBoundary = defineKind({
  subtype: 'compact_boundary',
  type: 'system',
  data: z.object({}),
  isSent: false,
  reshapes: true,
});
