import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { patientFetch } from '../../src/model/patientFetch.ts';

test('the patience for headers is ours and not the five minutes of Node', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1'); // never answers
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await expect(patientFetch(200)(url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
  server.closeAllConnections();
  server.close();
});
