// Asks the server to evaluate a query on a stanza. It does not use the page.

/// The reason for a missing answer, in words for the user.
export class EvaluationError extends Error {}

const GONE =
  "The playground’s server does not answer. What you typed is still here: start “stanza-live playground” again.";
const TOO_LARGE = 413;
/// The server runs only a few evaluations at once, including abandoned ones.
const BUSY = 503;
/// The wait before the next request to a busy server, in milliseconds, and the number of requests.
const RETRY_PAUSE = 400;
const MOST_ATTEMPTS = 30;

/// Asks for one evaluation at a time, and abandons the previous one.
export class Evaluator {
  #last = new AbortController();

  /// Abandons the pending answer, because its texts are outdated.
  abandon() {
    this.#last.abort();
  }

  /// The answer to a request; `null` if a newer one replaced it, or if it was abandoned.
  async evaluate(request) {
    this.abandon();
    const current = new AbortController();
    this.#last = current;
    try {
      const answer = await ask(request, current.signal);
      return current.signal.aborted ? null : answer;
    } catch (error) {
      if (current.signal.aborted) return null;
      throw error;
    }
  }
}

async function ask(request, signal) {
  let response = await post(request, signal);
  for (let attempt = 1; response.status === BUSY && attempt < MOST_ATTEMPTS; attempt += 1) {
    await new Promise((resume) => setTimeout(resume, RETRY_PAUSE));
    response = await post(request, signal);
  }
  if (response.status === TOO_LARGE) throw new EvaluationError("This is more text than the playground takes.");
  const answer = await response.json().catch(() => null);
  if (response.ok && answer === null) throw new EvaluationError(GONE);
  if (!response.ok) {
    throw new EvaluationError(answer?.error ?? `The playground’s server answered with ${response.status}.`);
  }
  return answer;
}

async function post(request, signal) {
  try {
    return await fetch("/evaluate", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal,
    });
  } catch {
    throw new EvaluationError(GONE);
  }
}
