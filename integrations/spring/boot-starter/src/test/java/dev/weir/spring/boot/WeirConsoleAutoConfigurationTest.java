package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsolePages;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** When an application has the console as an endpoint, and by whom its changes are. */
final class WeirConsoleAutoConfigurationTest {
    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, WeirConsoleAutoConfiguration.class))
            .withPropertyValues("weir.limits.checkout.concurrency=20");

    private final WebApplicationContextRunner exposed =
            runner.withPropertyValues("management.endpoints.web.exposure.include=weirconsole");

    /** Who is logged in; null = nobody. */
    private static SecurityContext by(String name) {
        return new SecurityContext() {
            @Override
            public Principal getPrincipal() {
                return name == null ? null : () -> name;
            }

            @Override
            public boolean isUserInRole(String role) {
                return false;
            }
        };
    }

    @Test
    void itIsThereIfItIsExposedAndOnTheClassPath() {
        exposed.run(context -> assertNotNull(context.getBean(WeirConsoleEndpoint.class)));
        runner.run(context -> assertEquals(
                0, context.getBeansOfType(WeirConsoleEndpoint.class).size()));
        exposed.withPropertyValues("management.endpoint.weirconsole.access=NONE")
                .run(context -> assertEquals(
                        0, context.getBeansOfType(WeirConsoleEndpoint.class).size()));
        exposed.withClassLoader(new FilteredClassLoader(ConsolePages.class)).run(context -> {
            assertNull(context.getStartupFailure());
            assertNotNull(context.getBean(LimiterRegistry.class));
            assertEquals(0, context.getBeanNamesForType(WeirConsoleEndpoint.class).length);
        });
    }

    @Test
    void aChangeIsByWhoIsLoggedIn() {
        exposed.run(context -> {
            WeirConsoleEndpoint console = context.getBean(WeirConsoleEndpoint.class);
            LimiterRegistry registry = context.getBean(LimiterRegistry.class);
            for (String name : new String[] {"ann", null}) {
                long revision = registry.limiter("checkout").status().revision();
                WebEndpointResponse<byte[]> given = console.change(
                        by(name),
                        new String[] {"api", "override"},
                        "checkout",
                        "concurrency: 7",
                        60L,
                        "a \"sale\" <b>",
                        revision);
                assertEquals(200, given.getStatus(), () -> new String(given.getBody(), StandardCharsets.UTF_8));
                String who = registry.limiter("checkout").status().override().who();
                assertEquals(name == null ? "management" : name, who);
                assertEquals(
                        "a \"sale\" <b>",
                        registry.limiter("checkout").status().override().why());
            }
        });
    }
}
