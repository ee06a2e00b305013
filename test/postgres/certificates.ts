/** Certificates for tests, made with `openssl`. */
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/service.ts';

/** Paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** A folder of certificates that every user may enter, removed at the end. */
export interface Certificates extends Disposable {
  /** A certificate authority. */
  authority(name: string): Certificate;
  /** A certificate for a server with these names, as `DNS:name` or `IP:address`. */
  server(authority: Certificate, names: readonly string[]): Certificate;
}

/** User id of a server that root started; PostgreSQL rejects keys that belong to others. */
const nobody = 65_534;

export function makeCertificates(): Certificates {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  let made = 0;
  const make = (name: string, options: readonly string[]): Certificate => {
    const base = join(folder.path, `${++made}`);
    const files = { certificate: `${base}.crt`, key: `${base}.key` };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
    openssl(['req', '-x509', '-days', '2', '-subj', `/CN=${name}`, ...key, '-out', files.certificate, ...options]);
    return files;
  };
  return {
    authority: (name) => make(name, []),
    server(authority, names) {
      const signing = ['-CA', authority.certificate, '-CAkey', authority.key];
      const rights = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', `subjectAltName=${names.join(',')}`];
      const files = make('server', [...signing, ...rights]);
      if (process.getuid?.() === 0) chownSync(files.key, nobody, nobody);
      return files;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function openssl(options: readonly string[]): void {
  if (Bun.which('openssl') === null) throw new Error('These tests need the program openssl. Install it');
  const { success, stderr } = Bun.spawnSync(['openssl', ...options]);
  if (!success) throw new Error(`openssl failed: ${stderr}`);
}
