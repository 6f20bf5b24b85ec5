package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.Ordered;

/** Limited beans that are proxies of another kind, or that something else makes: each call is limited, once, or the log says that none is. */
class LimitedProxiesTest {
    private final Names names = Names.builder().executor(Runnable::run).build();

    LimitedProxiesTest() {
        names.limiter("one", new Semaphore(1));
        names.limiter("by-user", Keyed.of(TokenBucket.of(1, Duration.ofHours(1)), 100));
    }

    @AfterEach
    void close() {
        names.close();
    }

    /** A client as Spring makes them of interfaces: nothing is behind its proxy but an interceptor. */
    interface Client {
        @Limited(name = "by-user", key = "#user")
        String find(String user);

        @Limited(name = "one", fallback = "later")
        String sell(int amount);

        default String later(int amount, Rejection refused) {
            return amount + " later";
        }
    }

    static final class Clients {
        private Clients() {}

        private static Object answer(String method) {
            return method.equals("hashCode") ? 1 : "found";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfInterceptors {
        @Bean
        Client client() {
            MethodInterceptor answers = call -> call.getMethod().isDefault()
                    ? "5 later"
                    : Clients.answer(call.getMethod().getName());
            return ProxyFactory.getProxy(Client.class, answers);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfTheJdk {
        @Bean
        Client client() {
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(),
                    new Class<?>[] {Client.class},
                    (proxy, method, arguments) -> method.isDefault() ? "5 later" : Clients.answer(method.getName()));
        }
    }

    private void clientIsLimited(Class<?> configuration) {
        try (var app = Started.with(names, configuration)) {
            Client client = app.getBean(Client.class);
            assertEquals("found", client.find("ann"));
            assertEquals("found", client.find("bob"));
            assertThrows(LimitExceededException.class, () -> client.find("ann"));

            assertEquals("found", client.sell(5));
            Permit held = (Permit) names.limiter("one").tryAcquire();
            assertEquals("5 later", client.sell(5));
            held.close();
            assertEquals("found", client.sell(5));
        }
    }

    @Test
    void aClientOfInterceptorsIsLimited() {
        clientIsLimited(OfInterceptors.class);
    }

    @Test
    void aProxyOfTheJdkIsLimited() {
        clientIsLimited(OfTheJdk.class);
    }

    @Scope(value = ConfigurableBeanFactory.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @Limited("one")
        public String sell() {
            return "sold";
        }
    }

    @Test
    void aCallOfAScopedBeanIsAskedForOnce() {
        try (var app = Started.with(names, Scoped.class)) {
            assertEquals("sold", app.getBean(Scoped.class).sell());
            Permit held = (Permit) names.limiter("one").tryAcquire();
            assertThrows(
                    LimitExceededException.class,
                    () -> app.getBean(Scoped.class).sell());
            held.close();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoNames {
        @Bean
        Needed needed() {
            return new Needed();
        }

        @Bean
        Object sameUnderAnotherName(Needed needed) {
            return needed;
        }
    }

    @Test
    void aBeanWithTwoNamesIsAskedForOnce() {
        try (var app = Started.with(names, TwoNames.class)) {
            assertEquals("sold", ((Needed) app.getBean("needed")).sell());
            Permit held = (Permit) names.limiter("one").tryAcquire();
            assertThrows(LimitExceededException.class, () -> ((Needed) app.getBean("needed")).sell());
            held.close();
        }
    }

    @Limited("one")
    static class Whole {
        public String sell() {
            return "sold";
        }

        @Override
        public String toString() {
            return "whole";
        }

        @Override
        public boolean equals(Object other) {
            return other == this;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    @Test
    void aLimitOfAClassIsNotOneOfItsText() {
        try (var app = Started.with(names, Whole.class)) {
            Whole whole = app.getBean(Whole.class);
            Permit held = (Permit) names.limiter("one").tryAcquire();
            assertThrows(LimitExceededException.class, whole::sell);
            assertEquals("whole", whole.toString());
            held.close();
        }
    }

    static class Needed {
        @Limited("one")
        public String sell() {
            return "sold";
        }
    }

    /** It is made when the one that limits beans is made already, but does not process beans yet. */
    record Processor(Needed needed) implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NeededEarly {
        @Bean
        static Needed needed() {
            return new Needed();
        }

        @Bean
        static Processor processor(Needed needed) {
            return new Processor(needed);
        }
    }

    @Test
    void aBeanThatWasMadeTooEarlyIsTold() {
        List<String> said = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                said.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(Limited.class.getName());
        log.addHandler(handler);
        try (var app = Started.with(names, NeededEarly.class, Whole.class, Scoped.class, OfInterceptors.class)) {
            assertEquals("sold", app.getBean(Needed.class).sell());
            assertEquals(1, said.size(), said::toString);
            assertEquals(
                    "@Limited of the bean needed has no effect: it was made before limits were, because a bean post "
                            + "processor or a bean factory post processor needs it",
                    said.get(0));
        } finally {
            log.removeHandler(handler);
        }
    }
}
