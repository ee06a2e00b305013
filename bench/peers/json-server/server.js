/** json-server as a module, as its README shows it. Only its log of requests is off. */
import jsonServer from 'json-server';
import { announce } from '../notes.js';

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router(process.env.DATABASE));
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port, 0));
