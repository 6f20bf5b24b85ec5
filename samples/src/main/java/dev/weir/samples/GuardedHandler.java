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
import java.time.Duration;
import java.time.InstantSource;

/** An HTTP handler behind two limits: a rate for each client, and a number of requests at once for the service. */
final class GuardedHandler implements HttpHandler {
    private final NamedLimiter perClient;
    private final NamedLimiter service;
    private final RateLimitFields fields;
    private final HttpHandler work;
    private final Ledger ledger;
    private final Ticker ticker = Ticker.system();

    GuardedHandler(NamedLimiter perClient, Duration window, NamedLimiter service, HttpHandler work, Ledger ledger) {
        this.perClient = perClient;
        this.service = service;
        fields = RateLimitFields.builder()
                .limiter(perClient, window)
                .limiter(service)
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
            Decision decision = decide(client == null || client.isEmpty() ? "anonymous" : client);
            if (decision instanceof Permit permit) {
                ledger.admitted(bound);
                serve(exchange, permit);
            } else if (decision instanceof Rejection rejection) {
                ledger.refused(rejection.reason() == Rejection.Reason.RATE);
                fields.write(rejection, exchange.getResponseHeaders()::set);
                exchange.sendResponseHeaders(RateLimitFields.status(rejection), -1);
            }
        }
    }

    /** The client's rate first, which takes no permit of the service from others. */
    private Decision decide(String client) {
        Decision rate = perClient.tryAcquire(Request.forKey(client));
        return rate instanceof Rejection ? rate : service.tryAcquire();
    }

    private void serve(HttpExchange exchange, Permit permit) throws IOException {
        long start = ticker.read();
        Outcome outcome = Outcome.IGNORED;
        try {
            fields.write(permit, exchange.getResponseHeaders()::set);
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
