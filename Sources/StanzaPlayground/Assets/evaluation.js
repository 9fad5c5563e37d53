// Asks the server what a query makes of a stanza. Knows nothing of the page.

/// Why there is no answer, in words for whoever sits before the page.
export class EvaluationError extends Error {}

/// Asks for one evaluation after the other, and gives up on the one before.
export class Evaluator {
  #last = new AbortController();

  /// The answer to a request; `null` if a newer one came in between.
  async evaluate(request) {
    this.#last.abort();
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
  let response;
  let answer;
  try {
    response = await fetch("/evaluate", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal,
    });
    answer = await response.json().catch(() => null);
  } catch {
    throw new EvaluationError(
      "The playground’s server does not answer. What you typed is still here: start “stanza-live playground” again.");
  }
  if (response.status === 413) throw new EvaluationError("This is more text than the playground takes.");
  if (!response.ok || answer === null) {
    throw new EvaluationError(answer?.error ?? `The playground’s server answered with ${response.status}.`);
  }
  return answer;
}
