package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.http.Routes;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** What is probably not meant is told at the start. */
class RouteLogTest {
    private static final String PROBES = "probes may be refused";
    private static final String ADDRESSES = "Limits by ip take the address";

    /* Of System.Logger, which is that of the JDK here. */
    private final Logger log = Logger.getLogger(Routes.class.getName());
    private final List<String> lines = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, WeirRoutesAutoConfiguration.class))
            .withPropertyValues(
                    "weir.limits.client.rate=5/s", "weir.limits.client.key=ip", "weir.web.routes[0].limits=client");

    @BeforeEach
    void listen() {
        log.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        log.removeHandler(handler);
    }

    private boolean isTold(String part) {
        return lines.stream().anyMatch(line -> line.contains(part));
    }

    private static void start(WebApplicationContextRunner application, String... properties) {
        application.withPropertyValues(properties).run(context -> assertNull(context.getStartupFailure()));
    }

    @Test
    void aRouteThatLimitsProbesOfHealthIsTold() {
        start(application, "weir.web.routes[0].path=/orders");
        start(application, "weir.web.routes[0].path=/**", "management.server.port=8081");
        start(application, "weir.web.routes[0].path=/**", "weir.web.exempt=/actuator/health/**");
        assertFalse(isTold(PROBES), lines::toString);
        start(application, "weir.web.routes[0].path=/**");
        assertTrue(
                isTold("Requests to /actuator/health are limited by the route /**, so that " + PROBES),
                lines::toString);
    }

    @Test
    void limitsThatNoRouteNamesAreTold() {
        start(application, "weir.web.routes[0].path=/orders", "weir.limits.mail.concurrency=3");
        assertTrue(isTold("limits: client, mail; no route names mail, code or @Limited may"), lines::toString);
        start(new WebApplicationContextRunner().withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class)));
        assertTrue(isTold("limits: none"), lines::toString);
    }

    @Test
    void anAddressThatClientsMayInventIsTold() {
        start(application, "weir.web.routes[0].path=/orders");
        start(application, "weir.web.routes[0].path=/orders", "server.forward-headers-strategy=none");
        start(
                application,
                "weir.web.routes[0].path=/orders",
                "weir.limits.client.key=user",
                "server.forward-headers-strategy=native");
        assertFalse(isTold(ADDRESSES), lines::toString);
        start(application, "weir.web.routes[0].path=/orders", "spring.main.cloud-platform=kubernetes");
        assertTrue(isTold(ADDRESSES), lines::toString);
    }
}
