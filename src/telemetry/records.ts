/**
 * The records that telemetry exports: spans that start and end, and measurements. Names are those of OpenTelemetry's
 * semantic conventions for generative AI (open-telemetry/semantic-conventions-genai, 2026); what they do not name
 * begins with `clawdcode.`.
 */

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** `key` and `parent` identify spans until they are exported. */
export type TelemetryRecord =
  | {
      readonly type: 'span_started';
      readonly key: string;
      /** Absent = the beginning of a trace. */
      readonly parent?: string;
      readonly name: string;
      /** `client`: a request to a server. */
      readonly kind: 'client' | 'internal';
      /** Milliseconds since the epoch. */
      readonly atMs: number;
      readonly attributes: Attributes;
    }
  | {
      readonly type: 'span_ended';
      readonly key: string;
      readonly atMs: number;
      readonly attributes: Attributes;
      /** A short word for what failed; absent = nothing did. */
      readonly error?: string;
    }
  | {
      readonly type: 'measured';
      readonly metric: MetricName;
      readonly value: number;
      readonly attributes: Attributes;
    };

interface Metric {
  readonly type: 'histogram' | 'counter';
  readonly unit: string;
  readonly description: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

/** In seconds. Source of the buckets here and below: the conventions. */
const seconds = {
  type: 'histogram',
  unit: 's',
  buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
} as const;

export const metrics = {
  'gen_ai.client.token.usage': {
    type: 'histogram',
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
  },
  'gen_ai.client.operation.duration': { ...seconds, description: 'Duration of model requests.' },
  'gen_ai.invoke_agent.duration': { ...seconds, description: 'Duration of turns and of subagents.' },
  'gen_ai.execute_tool.duration': { ...seconds, description: 'Duration of tool calls.' },
  'clawdcode.cost.usage': { type: 'counter', unit: 'USD', description: 'Cost of model requests.' },
  'clawdcode.compaction.count': {
    type: 'counter',
    unit: '{compaction}',
    description: 'Compactions of the context.',
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
