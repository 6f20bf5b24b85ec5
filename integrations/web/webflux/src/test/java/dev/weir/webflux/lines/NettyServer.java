package dev.weir.webflux.lines;

import java.time.Duration;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;

/** A server of WebFlux on a free port of this machine, by HTTP/1.1 and by HTTP/2 without TLS. */
final class NettyServer implements AutoCloseable {
    private final DisposableServer server;

    NettyServer(List<WebFilter> filters, WebHandler handler) {
        WebHttpHandlerBuilder builder =
                WebHttpHandlerBuilder.webHandler(handler).exceptionHandler(NettyServer::failed);
        filters.forEach(builder::filter);
        server = HttpServer.create()
                .host("localhost")
                .port(0)
                .protocol(HttpProtocol.HTTP11, HttpProtocol.H2C)
                .handle(new ReactorHttpHandlerAdapter(builder.build()))
                .bindNow();
    }

    /* Without the line in the log that Spring writes for each. */
    private static Mono<Void> failed(ServerWebExchange exchange, Throwable thrown) {
        boolean isSet = exchange.getResponse()
                .setStatusCode(
                        thrown instanceof ErrorResponse known
                                ? known.getStatusCode()
                                : HttpStatus.INTERNAL_SERVER_ERROR);
        return isSet ? exchange.getResponse().setComplete() : Mono.error(thrown);
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow(Duration.ofSeconds(10));
    }
}
