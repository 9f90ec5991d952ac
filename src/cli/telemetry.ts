/** Connects sessions with the OpenTelemetry export. Loaded only if it is on. */
import type { Agent } from 'node:http';
import type { AgentModel } from '../agent/agentDeps.ts';
import type { Agent as SessionAgent } from '../agent/types.ts';
import { proxyAgent } from '../model/http/environmentSend.ts';
import { redact } from '../redact/redact.ts';
import { providerOf } from '../telemetry/providers.ts';
import { createTelemetry, type SessionTelemetry, type Telemetry } from '../telemetry/Telemetry.ts';
import type { Endpoints } from './models/endpoints.ts';
import type { SessionFactoryOptions } from './openContext.ts';
import { systemClock } from './process/clock.ts';

/** Characters of one text that are exported. */
const MAX_CONTENT = 8000;
/** The default of the OpenTelemetry specification, for OTEL_METRIC_EXPORT_INTERVAL. */
const METRIC_INTERVAL_MS = 60_000;

/** The export of the process's sessions. */
export interface SessionsTelemetry {
  /** `agent` is called only once the agent has started working. */
  watch(session: {
    readonly agent: () => SessionAgent;
    readonly costUsd: AgentModel['costUsd'];
  }): SessionTelemetry;
}

export function openTelemetry(
  { place, loaded, debug }: Pick<SessionFactoryOptions, 'place' | 'loaded' | 'debug'>,
  endpoints: Endpoints,
  onError: (error: unknown) => void,
): SessionsTelemetry {
  const { env, version } = place;
  const interval = Number(env.OTEL_METRIC_EXPORT_INTERVAL);
  const telemetry: Telemetry = createTelemetry({
    load: async () => {
      const agentFor = (signal: string): Promise<Agent | undefined> => {
        const url = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT || '';
        return URL.canParse(url) ? proxyAgent(env, new URL(url)) : Promise.resolve(undefined);
      };
      const [{ createOtlpSink }, traces, metrics] = await Promise.all([
        import('../telemetry/otlp.ts'),
        agentFor('TRACES'),
        agentFor('METRICS'),
      ]);
      return createOtlpSink({
        version,
        traces: env.OTEL_TRACES_EXPORTER !== 'none',
        metrics: env.OTEL_METRICS_EXPORTER !== 'none',
        metricIntervalMs: interval >= 1000 && interval < 2 ** 31 ? interval : METRIC_INTERVAL_MS,
        agents: { traces, metrics },
        env,
        log: debug.write,
      });
    },
    now: systemClock.now,
    onError,
  });
  const contentOf = (text: string): string => {
    // A secret may begin before the cut; one that begins after it is not exported anyway.
    const clean = redact(text.slice(0, 2 * MAX_CONTENT), { own: endpoints.secrets() });
    return clean.slice(0, MAX_CONTENT).toWellFormed();
  };
  return {
    watch: ({ agent, costUsd }) =>
      telemetry.watch({
        session: () => {
          const { sessionId, model } = agent().state();
          return { id: sessionId, model: model.id };
        },
        endpointOf: (model) => {
          const { baseUrl, wire } = endpoints.find(model).endpoint;
          return providerOf(baseUrl, wire);
        },
        costUsd: (model, usage) =>
          costUsd(model, {
            inputTokens: usage.input_tokens,
            outputTokens: usage.output_tokens,
            cachedTokens: usage.cached_tokens ?? 0,
            cacheWriteTokens: usage.cache_write_tokens ?? 0,
          }),
        ...(loaded.settings.telemetry.content && { contentOf }),
      }),
  };
}
