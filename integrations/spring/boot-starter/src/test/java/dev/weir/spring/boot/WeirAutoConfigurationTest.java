package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.FileSource;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which beans there are, and which source has the document. */
final class WeirAutoConfigurationTest {
    /* Of the process; it ends when it has been idle for 10 seconds. */
    private static final String ALARM = "weir-alarm";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WeirAutoConfiguration.class, WeirMetersAutoConfiguration.class, WeirRoutesAutoConfiguration.class));
    private final ApplicationContextRunner limited = runner.withPropertyValues("weir.limits.checkout.concurrency=2");

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    static class OwnSource {
        @Bean
        ConfigSource source() throws IOException {
            Path file = Files.createTempFile("limits", ".yaml");
            Files.writeString(file, "limits: { checkout: { concurrency: 9 } }\n");
            return FileSource.of(file);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnNames {
        @Bean
        Names names() {
            Names names = Names.builder().build();
            names.limiter("mail", new Semaphore(1));
            return names;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRoutes {
        @Bean
        Routes routes(Names names) {
            return Routes.builder(names)
                    .route(dev.weir.http.Route.of("/**", "checkout"))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Meters {
        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    /** A class with a limited method. */
    static class Mail {
        @Limited("checkout")
        int send(Runnable meanwhile) {
            meanwhile.run();
            return 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Mails {
        @Bean
        Mail mail() {
            return new Mail();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        @Bean
        RegistryCustomizer noStart() {
            return builder -> builder.maxDocument(1, 1);
        }
    }

    @Test
    void springBootStillMakesAnExecutorOfItsOwn() {
        limited.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .run(context -> assertTrue(context.containsBean("applicationTaskExecutor")));
    }

    @Test
    void limitsOfThePropertiesAreThereByName() {
        limited.run(context -> {
            Names names = context.getBean(Names.class);
            assertInstanceOf(Permit.class, names.limiter("checkout").tryAcquire());
            assertInstanceOf(Permit.class, names.limiter("checkout").tryAcquire());
            assertFalse(names.limiter("checkout").tryAcquire() instanceof Permit);
            assertSame(names, context.getBean(LimiterRegistry.class).names());
            assertEquals(
                    "test weir.limits.checkout.concurrency",
                    String.valueOf(names.explain("checkout").origin()));
        });
    }

    @Test
    void anApplicationWithoutPropertiesStarts() {
        runner.run(context -> {
            Names names = context.getBean(Names.class);
            assertEquals(List.of(), names.names());
            assertInstanceOf(
                    Permit.class, names.limiter("mail", new Semaphore(1)).tryAcquire());
        });
    }

    /* Jetty tells of the failure of an asynchronous dispatch only to filters that are before it. */
    @Test
    void theFilterIsBeforeAsynchronousDispatchesToo() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        WeirAutoConfiguration.class,
                        WeirRoutesAutoConfiguration.class,
                        WeirServletAutoConfiguration.class))
                .withPropertyValues(
                        "weir.limits.checkout.concurrency=2",
                        "weir.web.routes[0].path=/**",
                        "weir.web.routes[0].limits=checkout",
                        "weir.web.proxies=1",
                        "spring.main.cloud-platform=kubernetes",
                        "server.forward-headers-strategy=none")
                .run(context -> assertEquals(
                        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC),
                        context.getBean("weirFilter", FilterRegistrationBean.class)
                                .determineDispatcherTypes()));
    }

    @Test
    void theRegistryIsClosedWithTheContextAndLeavesNoThread() {
        limited.withPropertyValues("weir.source.last-good=" + folder.resolve("last"))
                .run(context -> {
                    assertNotNull(context.getBean(LimiterRegistry.class));
                });

        Awaitility.await()
                .untilAsserted(() -> assertEquals(
                        List.of(),
                        Thread.getAllStackTraces().keySet().stream()
                                .map(Thread::getName)
                                .filter(name -> name.startsWith("weir-") && !name.equals(ALARM))
                                .toList()));
        assertTrue(Files.exists(folder.resolve("last")));
    }

    @Test
    void aFileIsReadInPlaceOfTheEnvironment() throws IOException {
        Path file = folder.resolve("limits.yaml");
        Files.writeString(file, "limits: { checkout: { concurrency: 7 } }\n");

        runner.withPropertyValues("weir.source.file=" + file, "weir.source.read-every=1m")
                .run(context -> assertEquals("7", concurrency(context.getBean(LimiterRegistry.class))));
    }

    @Test
    void aSourceThatIsABeanIsReadInPlaceOfTheEnvironment() {
        runner.withUserConfiguration(OwnSource.class)
                .run(context -> assertEquals("9", concurrency(context.getBean(LimiterRegistry.class))));
    }

    @Test
    void aDocumentThatIsNotReadStopsTheStart() {
        assertStops(
                limited.withUserConfiguration(OwnSource.class), "weir.limits.checkout.concurrency must not be given");
        assertStops(
                limited.withUserConfiguration(OwnNames.class), "weir.limits.checkout.concurrency must not be given");
        assertStops(
                runner.withUserConfiguration(OwnSource.class).withPropertyValues("weir.source.file=x.yaml"),
                "weir.source.file must not be given beside a bean");
        assertStops(
                limited.withUserConfiguration(OwnRoutes.class)
                        .withPropertyValues("weir.web.routes[0].path=/**", "weir.web.routes[0].limits=checkout"),
                "weir.web.routes must not be given beside a bean");
    }

    @Test
    void namesThatAreABeanAreUsed() {
        runner.withUserConfiguration(OwnNames.class).run(context -> {
            assertEquals(List.of("mail"), context.getBean(Names.class).names());
            assertEquals(0, context.getBeanNamesForType(LimiterRegistry.class).length);
        });
    }

    @Test
    void aCustomizerSetsOptions() {
        assertStops(limited.withUserConfiguration(Customized.class), "must have at most");
    }

    @Test
    void theMetersAreABeanThatBootBinds() {
        limited.withUserConfiguration(Meters.class).run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBean(MeterBinder.class).bindTo(meters);
            assertEquals(
                    2, meters.get("weir.limit").tag("name", "checkout").gauge().value());
        });
    }

    @Test
    void routesAreThoseOfThePropertiesOrABean() {
        limited.withPropertyValues("weir.web.routes[0].path=GET /a/*", "weir.web.routes[0].limits=checkout")
                .run(context -> assertEquals(
                        "GET /a/*",
                        context.getBean(Routes.class).routes().get(0).path()));
        limited.withUserConfiguration(OwnRoutes.class)
                .run(context -> assertEquals(
                        "/**", context.getBean(Routes.class).routes().get(0).path()));
        limited.run(context -> assertEquals(0, context.getBeanNamesForType(Routes.class).length));
    }

    @Test
    void methodsAreLimitedByTheirAnnotation() {
        limited.withConfiguration(AutoConfigurations.of(WeirLimitedAutoConfiguration.class))
                .withUserConfiguration(Mails.class)
                .run(context -> {
                    Mail mail = context.getBean(Mail.class);
                    Runnable third = () -> assertThrows(LimitExceededException.class, () -> mail.send(() -> {}));
                    assertEquals(1, mail.send(() -> assertEquals(1, mail.send(third))));
                    assertEquals(
                            0,
                            context.getBean(Names.class)
                                    .limiter("checkout")
                                    .status()
                                    .limiter()
                                    .inFlight());
                });
    }

    private static void assertStops(ApplicationContextRunner runner, String why) {
        runner.run(context -> {
            Throwable failure = context.getStartupFailure();
            assertNotNull(failure, "must not have started");
            StringBuilder texts = new StringBuilder();
            for (Throwable each = failure; each != null; each = each.getCause()) {
                texts.append(each).append('\n');
            }
            assertTrue(texts.toString().contains(why), texts::toString);
        });
    }

    private static String concurrency(LimiterRegistry registry) {
        return String.valueOf(registry.limiter("checkout").status().settings().get("concurrency"));
    }
}
