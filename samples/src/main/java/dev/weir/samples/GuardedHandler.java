package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.http.RateLimitFields;
import dev.weir.http.RateLimitFields.Reset;
import dev.weir.named.NamedLimiter;
import java.io.IOException;
import java.time.InstantSource;

/**
 * An HTTP handler behind two limits at once: a rate for each client, and a number of requests at once for the service. A request
 * that the service refuses costs the client nothing.
 */
final class GuardedHandler implements HttpHandler {
    private final NamedLimiter clientAndService;
    private final RateLimitFields fields;
    private final HttpHandler work;
    private final Ledger ledger;
    private final Ticker ticker = Ticker.system();

    GuardedHandler(NamedLimiter clientAndService, HttpHandler work, Ledger ledger) {
        this.clientAndService = clientAndService;
        fields = RateLimitFields.builder()
                .limiter(clientAndService)
                .legacy(Reset.SECONDS, InstantSource.system())
                .build();
        this.work = work;
        this.ledger = ledger;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String client = exchange.getRequestHeaders().getFirst("X-Client");
            long bound = ledger.bound();
            Request request = Request.forKey(client == null || client.isEmpty() ? "anonymous" : client);
            Decision decision = clientAndService.tryAcquire(request);
            if (decision instanceof Permit permit) {
                ledger.admitted(bound);
                serve(exchange, request, permit);
            } else if (decision instanceof Rejection rejection) {
                ledger.refused(rejection.reason() == Rejection.Reason.RATE);
                fields.write(request, rejection, exchange.getResponseHeaders()::set);
                exchange.sendResponseHeaders(RateLimitFields.status(rejection), -1);
            }
        }
    }

    private void serve(HttpExchange exchange, Request request, Permit permit) throws IOException {
        long start = ticker.read();
        Outcome outcome = Outcome.IGNORED;
        try {
            fields.write(request, permit, exchange.getResponseHeaders()::set);
            work.handle(exchange);
            outcome = Outcome.SUCCESS;
        } finally {
            ledger.leaving(ticker.read() - start);
            if (permit.release(outcome)) {
                ledger.returned();
            }
        }
    }
}
