"use strict";

// The live part of the page. Text from the server is inserted with textContent, never with innerHTML.
(() => {
  const page = window.caesura;

  const complain = (message) => {
    const place = page.byId("live-status");
    place.textContent = message;
    place.classList.toggle("why", message !== "");
  };

  // Ask the server; an error becomes a sentence in the page, and the result is null. Addresses are relative to the
  // page, whose own address contains the token.
  const ask = async (path, body) => {
    const request = body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    };
    try {
      const response = await fetch(path, request);
      const answer = await response.json();
      if (response.ok) {
        complain("");
        return answer;
      }
      complain(answer.error);
    } catch (error) {
      complain("The server does not answer. If it has ended, run `caesura open` again.");
    }
    return null;
  };

  Object.assign(page, { ask, complain });
})();
