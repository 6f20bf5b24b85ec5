package dev.weir.webflux;

import dev.weir.Decision;
import dev.weir.Lease;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.http.HttpOutcome;
import dev.weir.http.HttpRejection;
import dev.weir.http.LimitedRequest;
import dev.weir.http.Routes;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;

/**
 * The limits of {@link Routes} before the handlers of WebFlux. Thread-safe; blocks no thread, also where a limit lets requests wait.
 *
 * <pre>{@code
 * @Bean
 * WebFilter limits(Names names) {
 *     return new WeirWebFilter(Routes.builder(names).route(Route.of("/orders/**", "checkout")).build());
 * }
 * }</pre>
 *
 * <p>A request that is refused is answered here, and no handler sees it. One that is granted gets its fields before the handler is
 * called. Its permit is released once, when the response has ended or the client has gone. A client that goes while its request waits
 * leaves the queue. A request that had to wait goes on where futures of the limiter are completed, not on the thread of the server.
 *
 * <p>The outcome is that of {@link HttpOutcome}: of an exception, of the status that it has if it is an {@link ErrorResponse}, or else
 * of the status of the response. It is {@link Outcome#IGNORED} if the client has gone, or if a limit that the handler met has refused.
 *
 * <p>A limit by {@code user} asks for the principal of the exchange, so this filter must come after the one that authenticates.
 * The principal is not asked for where no limit counts by the user. A limit that begins to count by the user while a request
 * waits does not know the user of that request.
 */
public final class WeirWebFilter implements WebFilter {
    private static final Logger LOG = System.getLogger(WeirWebFilter.class.getName());

    private final Routes routes;

    /** A filter for the requests that have a route. Logs each route with its limits, as {@link Level#INFO}. */
    public WeirWebFilter(Routes routes) {
        this.routes = Objects.requireNonNull(routes, "routes");
        routes.describe().forEach(line -> LOG.log(Level.INFO, line));
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return Mono.defer(() -> {
            ExchangeRequest request = new ExchangeRequest(exchange.getRequest());
            LimitedRequest limited = routes.limited(request);
            return request.isUserAskedFor()
                    ? user(exchange).flatMap(name -> {
                        request.user(name.isEmpty() ? null : name);
                        return limited(routes.limited(request), exchange, chain);
                    })
                    : limited(limited, exchange, chain);
        });
    }

    /** The name of the user, or an empty text. */
    private static Mono<String> user(ServerWebExchange exchange) {
        return exchange.getPrincipal().mapNotNull(Principal::getName).defaultIfEmpty("");
    }

    /*
     * The lease is made when its end is certain: the operators below are told of a cancel, whatever happens inside. It ends before
     * the subscriber is told.
     */
    private static Mono<Void> limited(
            @Nullable LimitedRequest limited, ServerWebExchange exchange, WebFilterChain chain) {
        if (limited == null) {
            return chain.filter(exchange);
        }
        return Mono.defer(() -> {
            Lease lease = Lease.of(limited.acquireAsync());
            return decision(lease)
                    .flatMap(decision -> new Told(Mono.defer(() -> decision instanceof Permit permit
                            ? granted(limited, permit, exchange, chain)
                            : refused(limited.answer((Rejection) decision), exchange))))
                    .doOnSuccess(nothing -> lease.end(outcome(exchange)))
                    .doOnError(thrown -> lease.end(outcome(thrown)))
                    .doOnCancel(() -> lease.end(Outcome.IGNORED));
        });
    }

    private static Mono<Decision> decision(Lease lease) {
        return Mono.create(sink -> lease.whenDecided(sink::success, sink::error));
    }

    /**
     * A source whose subscriber is told also of an error that Reactor takes for fatal, such as a class that cannot be loaded. Reactor
     * throws it to the caller of subscribe, and here that is a future, which ignores it: the client would wait for ever.
     */
    private static final class Told extends MonoOperator<Void, Void> {
        Told(Mono<Void> source) {
            super(source);
        }

        @Override
        public void subscribe(CoreSubscriber<? super Void> actual) {
            try {
                source.subscribe(actual);
            } catch (Throwable fatal) {
                Operators.error(actual, fatal);
            }
        }
    }

    private static Mono<Void> granted(
            LimitedRequest limited, Permit permit, ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpResponse response = exchange.getResponse();
        if (!response.isCommitted()) {
            HttpHeaders headers = response.getHeaders();
            limited.write(permit, headers::set);
        }
        return chain.filter(exchange);
    }

    private static Mono<Void> refused(HttpRejection rejected, ServerWebExchange exchange) {
        exchange.getAttributes().put(HttpRejection.ATTRIBUTE, rejected);
        ServerHttpResponse response = exchange.getResponse();
        if (!response.setStatusCode(HttpStatusCode.valueOf(rejected.status()))) {
            return Mono.empty(); // It was committed before.
        }
        HttpHeaders headers = response.getHeaders();
        rejected.fields().forEach(headers::set);
        String body = rejected.body();
        if (body == null) {
            return response.setComplete();
        }
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        headers.set("Content-Type", "application/problem+json");
        headers.setContentLength(bytes.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(bytes)));
    }

    private static Outcome outcome(ServerWebExchange exchange) {
        try {
            if (exchange.getAttribute(HttpRejection.ATTRIBUTE) != null) {
                return Outcome.IGNORED;
            }
            HttpStatusCode status = exchange.getResponse().getStatusCode();
            return status == null ? Outcome.SUCCESS : HttpOutcome.of(status.value());
        } catch (Throwable unreadable) {
            return Outcome.IGNORED; // the permit is released all the same
        }
    }

    private static Outcome outcome(Throwable thrown) {
        try {
            return thrown instanceof ErrorResponse response
                    ? HttpOutcome.of(response.getStatusCode().value())
                    : HttpOutcome.of(thrown);
        } catch (Throwable unreadable) {
            return Outcome.IGNORED;
        }
    }
}
