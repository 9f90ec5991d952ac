/** A collector on loopback: decodes what it receives as the protobuf messages of OTLP. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Value = string | number | boolean | readonly Value[] | undefined;
type Attributes = Readonly<Record<string, Value>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the beginning of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  /** 2 = error. */
  readonly status: number;
}

interface ReceivedPoint {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  readonly sum: number;
  readonly count: number;
}

interface OtlpReceiver {
  readonly url: string;
  spans(): readonly ReceivedSpan[];
  points(): readonly ReceivedPoint[];
  resource(): Attributes;
  /** Path and headers of each request. */
  requests(): readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

/** `answer` replaces the answer of a collector that accepts everything. */
export async function startReceiver(answer?: (response: ServerResponse) => void): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  let resource: Attributes = {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = read(Buffer.concat(chunks));
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    for (const one of body.messages(1)) {
      resource = { ...resource, ...one.message(1)?.attributes(1) };
      for (const item of one.messages(2).flatMap((scope) => scope.messages(2)))
        if (path.endsWith('/v1/traces')) spans.push(spanOf(item));
        else points.push(...pointsOf(item));
    }
    if (answer === undefined) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    points: () => points,
    resource: () => resource,
    requests: () => requests,
  };
}

/** Numbers of fields: opentelemetry/proto/trace/v1/trace.proto. */
function spanOf(span: Message): ReceivedSpan {
  return {
    ...{ traceId: span.hex(1), spanId: span.hex(2), parentId: span.hex(4), name: span.text(5) },
    ...{ kind: span.number(6), startNs: span.fixed(7), endNs: span.fixed(8) },
    ...{ attributes: span.attributes(9), status: span.message(15)?.number(3) ?? 0 },
  };
}

/** Numbers of fields: opentelemetry/proto/metrics/v1/metrics.proto. */
function pointsOf(metric: Message): ReceivedPoint[] {
  const about = { name: metric.text(1), unit: metric.text(3) };
  const sums = metric.messages(7).flatMap((sum) => sum.messages(1));
  const histograms = metric.messages(9).flatMap((histogram) => histogram.messages(1));
  return [
    ...sums.map((point) => ({ ...about, attributes: point.attributes(7), sum: point.double(4), count: 1 })),
    ...histograms.map((point) => ({
      ...about,
      ...{ attributes: point.attributes(9), sum: point.double(5), count: Number(point.fixed(4)) },
    })),
  ];
}

type Field = number | Buffer;

interface Message {
  has(number: number): boolean;
  number(number: number): number;
  text(number: number): string;
  hex(number: number): string;
  fixed(number: number): bigint;
  double(number: number): number;
  message(number: number): Message | undefined;
  messages(number: number): Message[];
  attributes(number: number): Attributes;
}

/** A protobuf message, by the numbers of its fields. */
function read(bytes: Buffer): Message {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const slice = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag & 7;
    const value = wire === 0 ? varint() : wire === 1 ? slice(8) : wire === 2 ? slice(varint()) : slice(4);
    const number = Math.floor(tag / 8);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  const last = (number: number): Field | undefined => fields.get(number)?.at(-1);
  const bytesOf = (number: number): Buffer => {
    const value = last(number);
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  };
  const messages = (number: number): Message[] =>
    (fields.get(number) ?? []).flatMap((one) => (Buffer.isBuffer(one) ? [read(one)] : []));
  return {
    has: (number: number) => fields.has(number),
    number: (number: number) => Number(last(number) ?? 0),
    text: (number: number) => bytesOf(number).toString('utf8'),
    hex: (number: number) => bytesOf(number).toString('hex'),
    fixed: (number: number) => (fields.has(number) ? bytesOf(number).readBigUInt64LE() : 0n),
    double: (number: number) => (fields.has(number) ? bytesOf(number).readDoubleLE() : 0),
    message: (number: number) => messages(number).at(-1),
    messages,
    attributes: (number: number): Attributes =>
      Object.fromEntries(
        messages(number).map((pair) => [pair.text(1), anyValue(pair.message(2) ?? read(Buffer.alloc(0)))]),
      ),
  };
}

function anyValue(value: Message): Value {
  if (value.has(1)) return value.text(1);
  if (value.has(2)) return value.number(2) === 1;
  if (value.has(3)) return value.number(3);
  if (value.has(4)) return value.double(4);
  return value.message(5)?.messages(1).map(anyValue);
}
