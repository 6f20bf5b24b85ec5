package dev.weir.servlet;

import dev.weir.Limiter;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.engine.LimiterView;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueSnapshot;
import dev.weir.spi.Registration;
import dev.weir.testkit.EdgeContract;
import dev.weir.testkit.HttpCall;
import jakarta.servlet.Filter;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** The contract of a filter before the servlets of a container, by HTTP/1.1 if a subclass does not call otherwise. */
@Tag("real-time")
abstract class ServletContract extends EdgeContract {
    static final String EXEMPT = "/exempt";

    private final LimiterRegistry registry =
            LimiterRegistry.of(ResourceSource.of(ServletContract.class, "limits.yaml"));
    private final CompletableFuture<LimiterView> view = new CompletableFuture<>();
    private @Nullable TestContainer container;

    /** The filter under test. Default: that of this module. */
    Filter filter(Routes routes) {
        return new WeirFilter(routes);
    }

    /** The name of the limit. */
    String limit() {
        return "calls";
    }

    @Override
    protected void open() throws Exception {
        Registration unused = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                if (limiter.name().equals(limit())) {
                    view.complete(limiter);
                }
                return () -> {};
            }
        });
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("/**", limit()))
                .exempt(EXEMPT)
                .build();
        container = TestContainer.started(new ScenarioServlet(hold), filter(routes));
    }

    @Override
    protected void close() throws Exception {
        Objects.requireNonNull(container).stop();
        registry.close();
    }

    @Override
    protected Limiter limiter() {
        return registry.limiter(limit());
    }

    @Override
    protected LimiterView view() {
        return view.join();
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return scenario != Scenario.NEVER_STARTED;
    }

    int port() {
        return Objects.requireNonNull(container).port();
    }

    @Override
    protected Call start(Scenario scenario) throws Exception {
        return HttpCall.http1(port(), "/" + scenario);
    }

    @Override
    protected int waiting() {
        NamedLimiter calls = registry.limiter(limit());
        QueueSnapshot queue = Objects.requireNonNull(calls.status().queue());
        return queue.length();
    }
}
