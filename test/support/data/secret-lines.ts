/**
 * Lines as they stand in notes: a hundred with secrets of about 25 kinds, all made up, and a hundred harmless ones that
 * look alike. Values are random and are put together at run time, so that secret scanners do not report this file.
 */
import type { Random } from '../random.ts';

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();

/** Makes up values of the forms that secrets have. */
function createSecretValueMakers(random: Random) {
  const made = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('');
  const hex = (length: number) => made(`${digits}abcdef`, length);
  const alnum = (length: number) => made(lower + upper + digits, length);
  const url64 = (length: number) => made(`${lower}${upper}${digits}-_`, length);
  const base64 = (length: number) => made(`${lower}${upper}${digits}+/`, length);
  const number = (length: number) => `7${made(digits, length - 1)}`;
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join('-');
  const jwt = () =>
    [joinPrefixHalves('ey', 'J', url64(33)), joinPrefixHalves('ey', 'J', url64(80)), url64(43)].join('.');
  /** As people make them up. */
  const password = () => `${made(lower, 5)}${made('!#%+?', 1)}${made(upper, 2)}${made(digits, 3)}`;
  /** As programs make them up. */
  const generated = (length = 16) => `${made(lower, 2)}${made(digits, 1)}${alnum(length - 3)}`;
  const pem = (label: string) =>
    [`-----BEGIN ${label}-----`, base64(64), base64(64), base64(40), `-----END ${label}-----`].join('\n');
  return { made, hex, alnum, url64, base64, number, uuid, jwt, password, generated, pem };
}

/** A prefix in two halves, which only together look like that of a token. */
const joinPrefixHalves = (first: string, second: string, rest: string) => first + second + rest;

export interface SecretLine {
  readonly kind: string;
  readonly text: string;
}

const createLinesOfKind = (kind: string, ...texts: string[]): readonly SecretLine[] =>
  texts.map((text) => ({ kind, text }));

/** A hundred lines, each with a secret. */
export function createSecretLines(random: Random): readonly SecretLine[] {
  const { made, hex, alnum, url64, base64, number, uuid, jwt, password, generated, pem } =
    createSecretValueMakers(random);
  return [
    ...createLinesOfKind(
      'GitHub',
      `export GITHUB_TOKEN=${joinPrefixHalves('gh', 'p_', alnum(36))}`,
      `gh auth login --with-token <<< ${joinPrefixHalves('github', '_pat_', `${alnum(22)}_${alnum(59)}`)}`,
    ),
    ...createLinesOfKind(
      'GitLab',
      `curl --header "PRIVATE-TOKEN: ${joinPrefixHalves('gl', 'pat-', url64(20))}" https://gitlab.com/api/v4/projects`,
      `git remote set-url origin https://oauth2:${joinPrefixHalves('gl', 'pat-', url64(20))}@gitlab.com/acme/app.git`,
    ),
    ...createLinesOfKind(
      'AWS',
      `aws configure set aws_secret_access_key ${base64(40)}`,
      `aws configure set aws_access_key_id ${joinPrefixHalves('AK', 'IA', made(`${upper}234567`, 16))}`,
      `export AWS_SECRET_ACCESS_KEY=${base64(40)}`,
      `aws_secret_access_key = ${base64(40)}`,
      `AWS_SECRET_ACCESS_KEY="${base64(40)}" aws s3 ls`,
    ),
    ...createLinesOfKind(
      'Slack',
      `SLACK_BOT_TOKEN=${joinPrefixHalves('xo', 'xb-', `${number(12)}-${number(13)}-${alnum(24)}`)}`,
      `curl -X POST https://hooks.${'slack'}.com/services/T${made(upper, 8)}/B${made(upper, 8)}/${alnum(24)} -d '{}'`,
      joinPrefixHalves('xa', 'pp-', `1-A${made(upper, 10)}-${number(13)}-${hex(64)}`),
    ),
    ...createLinesOfKind(
      'Anthropic',
      `export ANTHROPIC_API_KEY=${joinPrefixHalves('sk-', 'ant-', `api03-${url64(93)}AA`)}`,
      `claude key: ${joinPrefixHalves('sk-', 'ant-', `api03-${url64(24)}`)}`,
      joinPrefixHalves('sk-', 'ant-', `oat01-${url64(40)}`),
      `x-api-key: ${joinPrefixHalves('sk-', 'ant-', url64(32))}`,
    ),
    ...createLinesOfKind(
      'OpenAI',
      `OPENAI_API_KEY=${joinPrefixHalves('sk-', 'proj-', url64(120))}`,
      `client = OpenAI(api_key="${joinPrefixHalves('sk', '-', `${alnum(20)}T3Blbk${'FJ'}${alnum(20)}`)}")`,
      joinPrefixHalves('sk-', 'svcacct-', url64(60)),
      `the old one was ${joinPrefixHalves('sk', '-', alnum(48))}`,
    ),
    ...createLinesOfKind(
      'another model provider',
      `GROQ_API_KEY=${joinPrefixHalves('gs', 'k_', alnum(52))}`,
      joinPrefixHalves('pplx', '-', alnum(48)),
      `xai: ${joinPrefixHalves('xa', 'i-', alnum(80))}`,
      `huggingface-cli login --token ${joinPrefixHalves('h', 'f_', made(lower + upper, 34))}`,
    ),
    ...createLinesOfKind(
      'Google',
      `https://maps.googleapis.com/maps/api/js?key=${joinPrefixHalves('AI', 'za', url64(35))}`,
      `client_secret: ${joinPrefixHalves('GOC', 'SPX-', url64(28))}`,
      `Authorization: Bearer ${joinPrefixHalves('ya', '29.', url64(120))}`,
    ),
    ...createLinesOfKind(
      'Stripe',
      `stripe.api_key = '${joinPrefixHalves('sk_', 'live_', alnum(24))}'`,
      joinPrefixHalves('rk_', 'live_', alnum(99)),
      `STRIPE_WEBHOOK_SECRET=${joinPrefixHalves('wh', 'sec_', alnum(32))}`,
    ),
    ...createLinesOfKind(
      'a package registry',
      `npm config set //npm.example/:_authToken ${joinPrefixHalves('np', 'm_', alnum(36))}`,
      `//npm.acme.example/:_authToken=${uuid()}`,
      `TWINE_PASSWORD=${joinPrefixHalves('pypi-', 'AgEIcHlwaS5vcmc', url64(140))}`,
      `docker login -u ada -p ${joinPrefixHalves('dckr', '_pat_', url64(27))}`,
      `gem push --key ${joinPrefixHalves('ruby', 'gems_', hex(48))}`,
    ),
    ...createLinesOfKind(
      'mail',
      `SENDGRID=${joinPrefixHalves('S', 'G.', `${url64(22)}.${url64(43)}`)}`,
      `curl -s --user 'api:key-${hex(32)}' https://api.mailgun.net/v3/acme/messages`,
      `mailchimp key ${hex(32)}-us14`,
    ),
    ...createLinesOfKind(
      'a chat',
      `TELEGRAM_BOT_TOKEN=${number(10)}:AA${url64(33)}`,
      `https://discord.com/api/webhooks/${number(18)}/${url64(68)}`,
      `client.login('MTA${alnum(21)}.G${alnum(5)}.${url64(38)}')`,
    ),
    ...createLinesOfKind(
      'a cloud or a tool',
      `export DIGITALOCEAN_TOKEN=${joinPrefixHalves('dop', '_v1_', hex(64))}`,
      `vault login ${joinPrefixHalves('hv', 's.', alnum(24))}`,
      `DATABRICKS_TOKEN=${joinPrefixHalves('da', 'pi', hex(32))}`,
      joinPrefixHalves('lin', '_api_', alnum(40)),
      `grafana: ${joinPrefixHalves('gl', 'sa_', `${alnum(32)}_${hex(8)}`)}`,
      `tailscale up --authkey ${joinPrefixHalves('tskey', '-auth-', `${alnum(12)}CNTRL-${alnum(32)}`)}`,
      `SHOPIFY=${joinPrefixHalves('shp', 'at_', hex(32))}`,
      joinPrefixHalves('fig', 'd_', url64(40)),
    ),
    ...createLinesOfKind(
      'Azure',
      `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${base64(86)}==;EndpointSuffix=core.windows.net`,
      `az login --service-principal -u ${uuid()} -p ${alnum(3)}8Q~${url64(34)} --tenant acme`,
    ),
    ...createLinesOfKind(
      'a JSON Web Token',
      `curl -H "Authorization: Bearer ${jwt()}" https://api.acme.example`,
      `id: ${jwt()}`,
    ),
    ...createLinesOfKind(
      'a private key',
      pem(`RSA ${'PRIVATE'} KEY`),
      pem(`OPENSSH ${'PRIVATE'} KEY`),
      `{"private_key": "${pem(`${'PRIVATE'} KEY`).replaceAll('\n', '\\n')}\\n"}`,
      `AGE-SECRET-${'KEY-1'}${made('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
    ),
    ...createLinesOfKind(
      'a header',
      `curl -H 'Authorization: Bearer ${generated(40)}' https://api.acme.example/v1`,
      `Authorization: Basic ${Buffer.from(`ada:${password()}`).toString('base64')}`,
      `-H "X-Api-Key: ${generated(32)}"`,
      `Cookie: session_token=${url64(43)}`,
    ),
    ...createLinesOfKind(
      'an address',
      `psql postgres://app:${generated()}@db.acme.example:5432/app`,
      `DATABASE_URL=mysql://root:${password().replace(/[#?%+]/, '!')}@10.0.0.4/shop`,
      `redis-cli -u redis://:${generated(24)}@cache.acme.example:6379/0`,
      `mongodb+srv://admin:${generated()}@cluster0.mongodb.net/test`,
      `https://ada:${generated(12)}@ci.acme.example/job/build`,
      `amqp://worker:${generated(20)}@mq.acme.example//jobs`,
    ),
    ...createLinesOfKind(
      'mysql',
      `mysql -u root -p${generated(10)} shop`,
      `mysqldump -uapp -p'${password()}' --all-databases > all.sql`,
      `mysqladmin -u root -p"${password()}" status`,
      `mysql --user=root --password=${generated(12)} -e 'SHOW TABLES'`,
      `MYSQL_PWD=${generated(12)} mysql -u root shop`,
    ),
    ...createLinesOfKind(
      'PostgreSQL',
      `PGPASSWORD=${generated(12)} psql -h db -U app`,
      `psql "host=db user=app password=${generated(12)} dbname=app"`,
      `ALTER USER app WITH PASSWORD '${password()}';`,
    ),
    ...createLinesOfKind(
      'an environment variable',
      `DB_PASSWORD=${password()}`,
      `export SMTP_PASSWORD="${password()}"`,
      `docker run -e POSTGRES_PASSWORD=${generated(12)} -p 5432:5432 postgres`,
      `MYSQL_ROOT_PASSWORD: ${password()}`,
      `RESTIC_PASSWORD=${generated(20)} restic backup ~/docs`,
      `SECRET_KEY_BASE=${hex(128)}`,
      `export BORG_PASSPHRASE='${password()}'`,
    ),
    ...createLinesOfKind(
      'curl',
      `curl -u ada:${generated(10)} https://api.acme.example/me`,
      `curl -sSfu 'ada:${password()}' https://api.acme.example/me`,
      `curl https://api.acme.example/me -u ada:${generated(10)}`,
      `wget --user=ada --password='${password()}' https://files.acme.example/a.zip`,
      `http -a ada:${generated(12)} POST api.acme.example/jobs`,
    ),
    ...createLinesOfKind(
      'an option of a command',
      `sshpass -p '${password()}' ssh root@10.0.0.4`,
      `redis-cli -h cache -a ${generated(16)} ping`,
      `mongosh -u admin -p ${generated(12)} --authenticationDatabase admin`,
      `docker login registry.acme.example --username ada --password ${generated(14)}`,
      `openssl enc -aes-256-cbc -in a -out b -pass pass:${generated(12)}`,
      `gpg --batch --passphrase ${generated(14)} -d notes.gpg`,
      `ldapsearch -x -D cn=admin,dc=acme -w ${generated(12)} uid=ada`,
      `kubectl create secret generic db --from-literal=password=${generated(12)}`,
    ),
    ...createLinesOfKind(
      'a file of settings',
      `{ "password": "${password()}", "user": "ada" }`,
      `const apiKey = '${generated(32)}';`,
      `api_token: ${generated(40)}`,
      `SECRET_KEY = 'django-insecure-${url64(50)}'`,
      `"client_secret": "${url64(40)}"`,
    ),
  ];
}

/** A hundred lines without a secret. */
export function createHarmlessLines(random: Random): readonly string[] {
  const { made, hex, alnum, url64, base64, uuid, pem } = createSecretValueMakers(random);
  return [
    // hashes, ids, versions and encoded data
    `git checkout ${hex(40)}`,
    `git cherry-pick ${hex(9)}..${hex(9)}`,
    `${hex(32)}  ubuntu-24.04.iso`,
    `sha256sum: ${hex(64)}`,
    `"integrity": "sha512-${base64(86)}=="`,
    `FROM node:22@sha256:${hex(64)}`,
    `pip install requests==2.32.3 --hash=sha256:${hex(64)}`,
    `SELECT * FROM orders WHERE id = '${uuid()}';`,
    `Request ${uuid()} failed after 3 tries`,
    `"traceparent": "00-${hex(32)}-${hex(16)}-01"`,
    `ETag: "${hex(32)}"`,
    `<script src="https://cdn.acme.example/a.js" integrity="sha384-${base64(64)}"></script>`,
    `![logo](data:image/png;base64,iVBORw0KGgo${base64(120)})`,
    `background: url(data:image/svg+xml;base64,${base64(160)});`,
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(43)} ada@laptop`,
    pem('CERTIFICATE'),
    pem('PUBLIC KEY'),
    `https://docs.google.com/document/d/1${url64(43)}/edit`,
    `https://www.youtube.com/watch?v=${url64(11)}`,
    `s3://acme-logs/2026/11/27/${hex(32)}.gz`,
    `bitcoin:bc1q${made(lower + digits, 38)}`,
    `fe80::1ff:fe23:4567:890a%eth2`,
    `pk_${'live'}_${alnum(24)} is the publishable one, it may be in the page`,
    `"uid": "${alnum(28)}", "createdAt": 1764240000000`,
    // placeholders of a password
    'PASSWORD=$1',
    `PASSWORD=\${DB_PASSWORD:-}`,
    'mysql -u root --password={{password}}',
    'mysql -u root -p{{password}} shop',
    'PGPASSWORD=$PGPASSWORD1 psql -h db2',
    `PGPASSWORD="$(pass show db/app2)" psql`,
    'export DB_PASSWORD=<your password 1>',
    'DB_PASSWORD=your_password_here_123',
    'password: ********',
    'password: xxxxxxxx1',
    'API_KEY=YOUR_API_KEY_123',
    'API_KEY=...',
    'set PASSWORD=%PASSWORD2%',
    'const password = process.env.DB_PASSWORD2;',
    "password = os.environ['DB_PASS_2']",
    `password: \${{ secrets.DB_PASSWORD_2 }}`,
    'password: op://vault2/database/password',
    'password: vault:secret/data/app2#password',
    `curl -u "$USER1:$TOKEN1" https://api.acme.example`,
    'curl -u {{user=ada}}:{{password}} https://api.acme.example',
    'curl -u username:password https://api.acme.example',
    'curl -H "Authorization: Bearer $TOKEN_2" https://api.acme.example',
    'Authorization: Bearer <access_token_1>',
    'postgres://user:password@localhost:5432/db1',
    `postgres://app:\${PGPASSWORD2}@db/app`,
    'redis://:{{password}}@cache:6379/0',
    'https://<user>:<token1>@github.com/acme/app.git',
    'sshpass -p "$SSHPASS2" ssh root@10.0.0.4',
    'aws configure set aws_secret_access_key "$AWS_SECRET_2"',
    `AWS_ACCESS_KEY_ID=AKIA${'IOSFODNN7'}EXAMPLE`,
    `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLE'}KEY`,
    'docker login -u ada --password-stdin registry2.acme.example < token1.txt',
    `echo "$GHCR_TOKEN2" | docker login ghcr.io -u ada --password-stdin`,
    'sk-ant-api03-... (from the console)',
    'ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxx',
    `ghp_${'x'.repeat(36)}`,
    // options that look like those of a password
    'mysql -u root -p shop2',
    'mysqldump -u app -p --all-databases > all2.sql',
    'mysql --port=3307 --protocol=tcp -u app -p',
    'mkdir -p src/store2/migrations',
    'docker run -p 8080:80 -p127.0.0.1:5432:5432 nginx1',
    'ssh -p 2222 -i ~/.ssh/id_ed25519 ada@10.0.0.4',
    'ps -p 4711 -o pid,cmd',
    'cp -pr build1 /srv/app2',
    'sudo -u postgres2 psql -p5433',
    'git push -u origin feature/login-2',
    'sort -u names1.txt | uniq -c',
    'docker exec -u 1000:1000 app2 sh',
    'docker run --user 1000:1000 -v $PWD:/src2 node:22',
    'curl -u ada https://api.acme.example/me2',
    'curl --unix-socket /var/run/docker.sock http://localhost:2375/v1.43/info',
    'rsync -avz -e "ssh -p 2222" src1/ host:/dst2/',
    'redis-cli -a',
    'tar -pczf backup2.tar.gz home1',
    'aws configure set region eu-central-1',
    'aws configure set output json --profile acme2',
    'openssl passwd -6',
    'passwd --lock user2',
    'htpasswd -c .htpasswd2 ada',
    // code and prose
    'if (password1 !== password2) throw new Error("Passwords differ");',
    'password: str = Field(min_length=12, max_length=128)',
    'const password = generatePassword({ length: 24 });',
    'const token = await getToken(session2);',
    'password_confirmation = form2.password_confirmation',
    'PasswordAuthentication no',
    'password requisite pam_pwquality.so retry=3',
    'max_tokens: 4096, temperature: 0.2',
    'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")',
    'The API key goes into the header X-Api-Key, see page 12.',
    'Reset your password at https://accounts.acme.example/reset?step=2',
    'secretName: db-credentials-v2',
    'secretKeyRef: { name: postgres-16, key: password }',
    'primary_key: order_line_id2',
    'keybindings: { key: "ctrl+shift+alt+p2", command: "open" }',
    '.sk-toggleable__content-2 { display: none; }',
    'from huggingface_hub import hf_hub_download',
  ];
}
