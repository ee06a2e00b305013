import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { tryRefreshList } from './state/note-requests.ts';

/** Asks for the token when the session has ended. A modal, so that text typed below it is kept. */
export function SignInDialog() {
  const ref = useRef<HTMLDialogElement>(null);
  const failure = useSignal('');
  useLayoutEffect(() => ref.current?.showModal(), []);

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const token = String(new FormData(event.target).get('token'));
    failure.value = await signInOrReadFailure(token).catch(() => 'The service does not answer. Try again');
    if (failure.value === '') void tryRefreshList(); // its response clears `isSignedOut`
  }

  return (
    <dialog ref={ref} class="modal-box" aria-labelledby="sign-in-title">
      <form class="flex flex-col gap-4 p-5" onSubmit={send}>
        <h2 id="sign-in-title" class="font-semibold">
          You are signed out
        </h2>
        <label class="flex flex-col gap-1 text-sm">
          Access token
          <input class="input w-full touch" type="password" name="token" autocomplete="current-password" required />
        </label>
        <p class="min-h-10 text-sm" role="alert">
          {failure.value || 'It is the ACCESS_TOKEN of this service. What you typed is still here.'}
        </p>
        <button type="submit" class="btn btn-primary touch">
          Sign in
        </button>
      </form>
    </dialog>
  );
}

async function signInOrReadFailure(token: string): Promise<string> {
  const answer = await fetch('sign-in', { method: 'POST', body: new URLSearchParams({ token }) });
  if (answer.ok) return '';
  const { error }: Partial<Record<string, unknown>> = await answer.json();
  return String(error);
}
