package dev.weir.webflux.lines;

import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.LimiterView;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.EdgeContract;
import dev.weir.testkit.HttpCall;
import dev.weir.webflux.WeirWebFilter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The contract of an edge, for WebFlux on Netty by HTTP/1.1. */
@Tag("real-time")
class WebFluxEdgeTest extends EdgeContract {
    private static final int PART = 1024;

    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    final NamedLimiter limiter = registry.limiter("calls", new Semaphore(THREADS + 2));
    private volatile @Nullable LimiterView view;
    private @Nullable NettyServer server;

    @Override
    protected void open() throws Exception {
        registry.override("calls", settings(), Duration.ofHours(1), "test", "as the test needs it");
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView each) {
                view = each;
                return () -> {};
            }
        });
        WeirWebFilter limits = new WeirWebFilter(Routes.builder(registry.names())
                .route(Route.of("/calls/{scenario}", "calls"))
                .build());
        WebFilter first = (exchange, chain) -> {
            if (scenario(exchange) == Scenario.NEVER_STARTED) {
                Mono<Void> unused = limits.filter(exchange, chain);
                return exchange.getResponse().setComplete();
            }
            return chain.filter(exchange);
        };
        server = new NettyServer(List.of(first, limits), this::handle);
    }

    String settings() {
        return "concurrency: " + (THREADS + 2);
    }

    @Override
    protected void close() {
        Objects.requireNonNull(server).close();
        registry.close();
    }

    int port() {
        return Objects.requireNonNull(server).port();
    }

    @Override
    protected Limiter limiter() {
        return limiter;
    }

    @Override
    protected LimiterView view() {
        return Objects.requireNonNull(view);
    }

    @Override
    protected Call start(Scenario scenario) throws Exception {
        return HttpCall.http1(port(), "/calls/" + scenario);
    }

    private static Scenario scenario(ServerWebExchange exchange) {
        return Scenario.valueOf(
                exchange.getRequest().getPath().elements().get(3).value());
    }

    private Mono<Void> handle(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        Mono<Void> waits = Mono.<Void>fromRunnable(hold::await).subscribeOn(Schedulers.boundedElastic());
        Mono<Void> isTold = Mono.fromFuture(hold::opened, true);
        Mono<DataBuffer> part = Mono.fromSupplier(() -> response.bufferFactory().wrap(new byte[PART]));
        Mono<Void> fails = Mono.error(() -> new IllegalStateException("made up"));
        Mono<Void> answers = response.writeWith(part);
        return switch (scenario(exchange)) {
            case SUCCESS, NEVER_STARTED -> waits.then(answers);
            case EXCEPTION -> waits.then(fails);
            case ERROR -> waits.then(Mono.error(() -> new AssertionError("made up")));
            case TIME_OUT -> waits.then(Mono.error(() -> new CompletionException(new TimeoutException("made up"))));
            case INNER_REJECTION ->
                waits.then(
                        Mono.error(() -> new LimitExceededException(new Rejection("inner", Reason.CONCURRENCY, 0, 1))));
            case UNAVAILABLE ->
                waits.then(Mono.defer(() -> {
                    response.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
                    return response.setComplete();
                }));
            case ERROR_DISPATCH ->
                waits.then(Mono.error(() -> new ResponseStatusException(HttpStatus.INTERNAL_SERVER_ERROR)));
            case ASYNC -> isTold.then(answers);
            case ASYNC_EXCEPTION -> isTold.then(fails);
            case ASYNC_TIME_OUT -> Mono.<Void>never().timeout(Duration.ofMillis(50));
            case ASYNC_THEN_EXCEPTION ->
                waits.then(Mono.create(sink -> {
                    throw new IllegalStateException("made up");
                }));
            case STREAM -> stream(response, part, isTold.thenMany(part.repeat(18)));
            case STREAM_EXCEPTION -> stream(response, part, isTold.then(fails).cast(DataBuffer.class));
            case COMMITTED_THEN_EXCEPTION ->
                stream(response, part, waits.then(fails).cast(DataBuffer.class));
        };
    }

    private static Mono<Void> stream(ServerHttpResponse response, Mono<DataBuffer> first, Publisher<DataBuffer> rest) {
        return response.writeAndFlushWith(Flux.concat(first, rest).map(Flux::just));
    }
}
