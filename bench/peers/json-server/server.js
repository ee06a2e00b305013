/** json-server as a module, as its README shows it; only its request log is off. */
import jsonServer from 'json-server';

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router(process.env.DATABASE));
const server = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(JSON.stringify({ url, runtime: `Node.js ${process.versions.node}` }));
});
