import { expect, test, vi } from 'vitest';
import type { TelemetryRecord } from '../../src/telemetry/records.ts';
import { createTelemetry, type TelemetrySink } from '../../src/telemetry/Telemetry.ts';

const ports = {
  session: () => ({ id: 's1', model: 'm' }),
  endpointOf: () => ({}),
  costUsd: () => undefined,
};

function setUp(flush: () => Promise<void> = async () => undefined) {
  const written: TelemetryRecord[] = [];
  const sink: TelemetrySink = { open: () => (records) => void written.push(...records), flush: vi.fn(flush) };
  const load = vi.fn(async () => sink);
  const onError = vi.fn();
  const telemetry = createTelemetry({ load, now: () => 1, onError });
  return { written, sink, load, onError, telemetry };
}

test('nothing is loaded before the first request is sent, and nothing is lost', async () => {
  const { written, load, telemetry } = setUp();
  const session = telemetry.watch(ports);
  session.handle({ type: 'turn_started' });
  session.handle({ type: 'step_started', step: 1 });
  expect(load).not.toHaveBeenCalled();
  session.underway();
  session.underway();
  expect(load).toHaveBeenCalledTimes(1);
  await session.close(true);
  expect(written.map(({ type }) => type)).toEqual(['span_started', 'span_ended', 'measured']);
});

test('a session in which nothing happened loads nothing at its end', async () => {
  const { load, telemetry } = setUp();
  await telemetry.watch(ports).close(true);
  expect(load).not.toHaveBeenCalled();
});

test('the sessions of a process share the SDK, and switching between them waits for nothing', async () => {
  const { load, sink, telemetry } = setUp();
  for (const waits of [false, true]) {
    const session = telemetry.watch(ports);
    session.handle({ type: 'turn_started' });
    session.underway();
    await session.close(waits);
  }
  expect(load).toHaveBeenCalledTimes(1);
  expect(sink.flush).toHaveBeenCalledTimes(1);
});

test('a collector that never responds does not delay the exit', { tags: 'long' }, async () => {
  const { telemetry } = setUp(() => new Promise(() => undefined));
  const session = telemetry.watch(ports);
  session.handle({ type: 'turn_started' });
  await session.close(true);
});

test('if the SDK cannot be loaded, that is reported once, and the data is dropped', async () => {
  const { load, onError, telemetry } = setUp();
  load.mockRejectedValueOnce(new Error('no such file'));
  for (let count = 0; count < 3; count++) {
    const session = telemetry.watch(ports);
    session.handle({ type: 'turn_started' });
    session.underway();
    await session.close(true);
  }
  expect(onError).toHaveBeenCalledTimes(1);
});

test('data that waits for the SDK is bounded', async () => {
  const { written, load, telemetry } = setUp();
  const session = telemetry.watch(ports);
  for (let turn = 0; turn < 20_000; turn++) session.handle({ type: 'turn_started' });
  expect(load).not.toHaveBeenCalled();
  await session.close(true);
  expect(written).toHaveLength(5000);
});
