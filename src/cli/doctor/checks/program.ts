import type { Finding } from '../../../protocol/doctor.ts';
import type { DoctorPorts } from '../types.ts';

/** The Node that is needed; the same as in package.json. */
const NEEDED = [22, 16] as const;

export function checkNode({ node }: DoctorPorts): readonly Finding[] {
  const [major = 0, minor = 0] = node.version.split('.').map(Number);
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  const value = `${node.version} on ${node.platform} · ${node.path}`;
  const fix = `Install Node ${NEEDED.join('.')} or newer (nodejs.org).`;
  return [{ id: 'node', label: 'Node', value, ...(isEnough ? { state: 'ok' } : { state: 'missing', fix }) }];
}
