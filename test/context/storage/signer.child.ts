/** Signs one fixed entry with the key in the data folder, and prints the result. */
import { writeSync } from 'node:fs';
import { ChangeSigner } from '../../../src/context/storage/ChangeSigner.ts';

const [dataRoot = '', projectRoot = ''] = process.argv.slice(2);
const mac = new ChangeSigner({ dataRoot, projectRoot }).sign(
  {
    type: 'system',
    subtype: 'checkpoint',
    message: { role: 'system', content: '' },
    data: { cause: 'call', changes: [{ path: '/a', after: { type: 'folder', mode: 0o755 } }] },
  },
  { seq: 1, uuid: 'u' },
  { sessionId: 's', first: undefined },
);
writeSync(1, mac ?? 'nothing');
