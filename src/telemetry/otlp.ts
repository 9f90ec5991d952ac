/**
 * The OpenTelemetry SDK, which batches records and sends them to a collector: OTLP over HTTP, as protobuf. The SDK
 * reads the variables of exporters and resources itself (OTEL_EXPORTER_OTLP_*, OTEL_RESOURCE_ATTRIBUTES); those of
 * sampling and batching are read here, because in the SDK only `sdk-node` reads them, which has many dependencies.
 */
import type { Agent } from 'node:http';
import {
  type Context,
  DiagLogLevel,
  diag,
  isValidSpanId,
  isValidTraceId,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type MetricName, metrics, type TelemetryRecord } from './records.ts';
import type { TelemetrySink } from './Telemetry.ts';

interface OtlpOptions {
  readonly version: string;
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Milliseconds between exports of metrics. */
  readonly metricIntervalMs: number;
  /** Reaches the collector through a proxy; undefined = directly. */
  readonly agents: { readonly traces: Agent | undefined; readonly metrics: Agent | undefined };
  /** TRACEPARENT is the W3C `traceparent` of the program that started this one. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what the SDK reports about failing exports. */
  readonly log: (text: string) => void;
}

/** Milliseconds that one export may take. */
const EXPORT_TIMEOUT_MS = 10_000;

/** Nothing is sent before the first record. */
export function createOtlpSink(options: OtlpOptions): TelemetrySink {
  const log = (text: string): void => options.log(`telemetry: ${text}`);
  const silent = { info: () => undefined, debug: () => undefined, verbose: () => undefined };
  diag.setLogger({ ...silent, error: log, warn: log }, { logLevel: DiagLogLevel.WARN });
  const { version } = options;
  const resource = resourceFromAttributes({ 'service.name': 'clawdcode', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const tracers = new TracerProvider({
    resource,
    sampler: samplerFrom(options.env),
    spanProcessors: options.traces
      ? [
          new BatchSpanProcessor({
            exporter: new OTLPTraceExporter(through(options.agents.traces)),
            ...batchesFrom(options.env),
          }),
        ]
      : [],
  });
  const meters = new MeterProvider({
    resource,
    views: Object.entries(metrics).flatMap(([instrumentName, metric]) =>
      'buckets' in metric
        ? [
            {
              instrumentName,
              aggregation: {
                type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
                options: { boundaries: [...metric.buckets] },
              },
            },
          ]
        : [],
    ),
    readers: options.metrics
      ? [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter(through(options.agents.metrics)),
            exportIntervalMillis: options.metricIntervalMs,
            exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, options.metricIntervalMs),
          }),
        ]
      : [],
  });
  const tracer = tracers.getTracer('clawdcode', version);
  const record = metricRecorder(meters, version);
  const root = rootContext(options.env.TRACEPARENT);
  return {
    open() {
      const writeSpan = spanWriter(tracer, root);
      return (records) => {
        for (const one of records) {
          if (one.type === 'measured') record(one);
          else writeSpan(one);
        }
      };
    },
    async flush() {
      await Promise.allSettled([tracers.forceFlush(), meters.forceFlush()]);
    },
  };
}

/** An agent of ours replaces that of the SDK, which knows about certificates (OTEL_EXPORTER_OTLP_CERTIFICATE). */
function through(agent: Agent | undefined): { readonly httpAgentOptions?: () => Agent } {
  return agent === undefined ? {} : { httpAgentOptions: () => agent };
}

/** The sampler that OTEL_TRACES_SAMPLER names. Without one, or with an unknown one, all traces are exported. */
function samplerFrom({
  OTEL_TRACES_SAMPLER: name = '',
  OTEL_TRACES_SAMPLER_ARG,
}: OtlpOptions['env']): Sampler {
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || 1);
  const samplers: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1),
  };
  const [, parentBased, kind = ''] = /^(parentbased_)?(.*)$/.exec(name.trim().toLowerCase()) ?? [];
  const known = Object.hasOwn(samplers, kind) ? samplers[kind] : undefined;
  if (known === undefined) {
    if (name !== '') diag.warn(`OTEL_TRACES_SAMPLER: unknown sampler "${name}"; all traces are exported`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return parentBased === undefined ? known() : new ParentBasedSampler({ root: known() });
}

/** The batch settings in OTEL_BSP_*. Spans that do not fit in the queue are dropped. */
function batchesFrom(env: OtlpOptions['env']) {
  const numberOf = (name: string, otherwise: number, max: number): number => {
    const value = Number(env[name]);
    return Number.isInteger(value) && value > 0 ? Math.min(value, max) : otherwise;
  };
  const maxQueueSize = numberOf('OTEL_BSP_MAX_QUEUE_SIZE', 2048, 65_536);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(numberOf('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 8192), maxQueueSize),
    scheduledDelayMillis: numberOf('OTEL_BSP_SCHEDULE_DELAY', 5000, 3_600_000),
    exportTimeoutMillis: numberOf('OTEL_BSP_EXPORT_TIMEOUT', EXPORT_TIMEOUT_MS, EXPORT_TIMEOUT_MS),
  };
}

function metricRecorder(
  meters: MeterProvider,
  version: string,
): (one: Extract<TelemetryRecord, { type: 'measured' }>) => void {
  const meter = meters.getMeter('clawdcode', version);
  const recorders = new Map<MetricName, (value: number, attributes: object) => void>();
  for (const [name, { type, unit, description }] of Object.entries(metrics)) {
    const options = { unit, description };
    const instrument =
      type === 'counter' ? meter.createCounter(name, options) : meter.createHistogram(name, options);
    recorders.set(name as MetricName, (value, attributes) =>
      'add' in instrument
        ? instrument.add(value, { ...attributes })
        : instrument.record(value, { ...attributes }),
    );
  }
  return ({ metric, value, attributes }) => recorders.get(metric)?.(value, attributes);
}

type SpanRecord = Exclude<TelemetryRecord, { type: 'measured' }>;

/** Spans are forgotten once they have ended: a parent ends after its children. */
function spanWriter(tracer: Tracer, root: Context): (one: SpanRecord) => void {
  const open = new Map<string, Span>();
  return (one) => {
    if (one.type === 'span_started') {
      const parent = open.get(one.parent ?? '');
      const context = parent === undefined ? root : trace.setSpan(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(
        one.name,
        {
          kind: one.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
          startTime: one.atMs,
          attributes: attributesOf(one),
        },
        context,
      );
      open.set(one.key, span);
      return;
    }
    const span = open.get(one.key);
    open.delete(one.key);
    span?.setAttributes(attributesOf(one));
    if (one.error !== undefined) {
      span?.setAttribute('error.type', one.error);
      span?.setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end(one.atMs);
  };
}

function attributesOf({ attributes }: SpanRecord): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}

/** The context of a trace's first span: that of the program that started this one, if it says so. */
function rootContext(traceParent = ''): Context {
  const [, traceId = '', spanId = '', flags = ''] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(traceParent) ?? [];
  if (!isValidTraceId(traceId) || !isValidSpanId(spanId)) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
