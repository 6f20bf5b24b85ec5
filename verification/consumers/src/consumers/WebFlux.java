package consumers;

import dev.weir.algorithms.FixedWindow;
import dev.weir.config.LimiterRegistry;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.webflux.WeirWebFilter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A server of WebFlux behind a limit, while that decides and is changed. */
public final class WebFlux {
    private WebFlux() {}

    public static void main(String[] args) throws Exception {
        try (LimiterRegistry registry = LimiterRegistry.builder().build()) {
            registry.limiter("orders", FixedWindow.of(1, Duration.ofHours(1)));
            Routes routes = Routes.builder(registry.names())
                    .route(Route.of("/orders/{id}", "orders"))
                    .build();
            DisposableServer server = HttpServer.create()
                    .host("localhost")
                    .port(0)
                    .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.webHandler(
                                    exchange -> exchange.getResponse().setComplete())
                            .filter(new WeirWebFilter(routes))
                            .build()))
                    .bindNow();
            try {
                URI address = URI.create("http://localhost:" + server.port() + "/orders/1");
                Check.expect(200, answer(address).statusCode());
                Check.expect(429, answer(address).statusCode());
                registry.override(
                        "orders", "{ rate: 2/h, algorithm: fixed-window }", Duration.ofHours(1), "ann", "more");
                HttpResponse<Void> third = answer(address);
                Check.expect(200, third.statusCode());
                Check.expect(
                        true,
                        third.headers()
                                .firstValue("RateLimit-Policy")
                                .orElse("")
                                .contains("q=2"));
            } finally {
                server.disposeNow();
            }
        }
    }

    private static HttpResponse<Void> answer(URI address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding());
    }
}
