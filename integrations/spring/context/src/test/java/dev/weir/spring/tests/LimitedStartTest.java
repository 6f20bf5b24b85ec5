package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionValidationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** What is wrong with a limited method stops the start, and says what and where. */
class LimitedStartTest {
    private static final String YAML = """
            limits:
              checkout: { concurrency: 2 }
              users: { rate: 1/h, key: user }
              pages: { rate: 1/h, key: [user, page] }
              whole: { rate: 1/h, key: true }
            """;

    private final LimiterRegistry registry = Started.document(YAML);

    @AfterEach
    void close() {
        registry.close();
    }

    static class UnknownName {
        @Limited("chekout")
        void a() {}
    }

    static class NoName {
        @Limited(maxWait = "1s")
        void a() {}
    }

    static class NameAndNames {
        @Limited(
                name = "checkout",
                names = {"checkout", "users"})
        void a() {}
    }

    static class BadKey {
        @Limited(name = "users", key = "#user.")
        void a(String user) {}
    }

    static class UnknownParameter {
        @Limited(name = "users", key = "#usr.length")
        void a(String user, String page) {}
    }

    static class UnknownIndex {
        @Limited(name = "users", key = "#p1")
        void a(String user) {}
    }

    static class NoKey {
        @Limited("users")
        void a() {}
    }

    static class NoWholeKey {
        @Limited(name = "whole", keys = "user=#p0")
        void a(String user) {}
    }

    static class OtherDimension {
        @Limited(
                name = "pages",
                keys = {"user=#p0", "pages=#p0"})
        void a(String user) {}
    }

    static class OneOfTwo {
        @Limited(name = "pages", key = "#p0")
        void a(String user) {}
    }

    static class KeyAndKeys {
        @Limited(name = "users", key = "#p0", keys = "user=#p0")
        void a(String user) {}
    }

    static class NoDimension {
        @Limited(name = "users", keys = "#p0")
        void a(String user) {}
    }

    static class CostOfZero {
        @Limited(name = "checkout", cost = "0")
        void a() {}
    }

    static class BadCost {
        @Limited(name = "checkout", cost = "a few")
        void a() {}
    }

    static class BadWait {
        @Limited(name = "checkout", maxWait = "soon")
        void a() {}
    }

    static class WaitWithoutUnit {
        @Limited(name = "checkout", maxWait = "5")
        void a() {}
    }

    static class NegativeWait {
        @Limited(name = "checkout", maxWait = "-1s")
        void a() {}
    }

    static class NoFallback {
        @Limited(name = "checkout", fallback = "laterr")
        void a() {}

        void later() {}
    }

    static class FallbackToItself {
        @Limited(name = "checkout", fallback = "a")
        void a() {}
    }

    static class FallbackOfOtherType {
        @Limited(name = "checkout", fallback = "later")
        String a() {
            return "";
        }

        int later() {
            return 1;
        }
    }

    static class FallbackOfOtherException {
        @Limited(name = "checkout", fallback = "later")
        void a(String one) {}

        void later(String one, IOException thrown) {}
    }

    static class FallbackOfOtherParameters {
        @Limited(name = "checkout", fallback = "later")
        void a(String one) {}

        void later(Integer one, Rejection refused) {}
    }

    static class FallbackOfNoBean {
        @Limited(name = "checkout", fallback = "names2::limiter")
        void a() {}
    }

    static class PrivateMethod {
        @Limited("checkout")
        private void a() {}
    }

    static class StaticMethod {
        @Limited("checkout")
        static void a() {}
    }

    static class FinalMethod {
        @Limited("checkout")
        final void a() {}
    }

    static final class FinalClass {
        @Limited("checkout")
        void a() {}
    }

    interface Other {
        void other();
    }

    static final class NotOfTheInterface implements Other {
        @Override
        public void other() {}

        @Limited("checkout")
        public void a() {}
    }

    static class PlainFuture {
        @Limited("checkout")
        Future<String> a() {
            throw new AssertionError();
        }
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {
        @Limited("chekout")
        void a() {}
    }

    @Lazy
    static class LazyBean {
        @Limited("chekout")
        void a() {}
    }

    @Limited("checkout")
    static class FinalMethodOfLimitedClass {
        public final void a() {}
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        UnknownName.class,
                        "a(): name must be one of [checkout, pages, users, whole], was chekout; did you mean checkout?"),
                Arguments.of(
                        Prototype.class,
                        "a(): name must be one of [checkout, pages, users, whole], was chekout; did you mean checkout?"),
                Arguments.of(
                        LazyBean.class,
                        "a(): name must be one of [checkout, pages, users, whole], was chekout; did you mean checkout?"),
                Arguments.of(NoName.class, "a(): name must not be empty"),
                Arguments.of(
                        NameAndNames.class,
                        "a(): name and names must not both be given, were checkout and [checkout, users]"),
                Arguments.of(
                        BadKey.class,
                        "a(String): key must be an expression of Spring, was #user.: Expression [#user.] @5: EL"),
                Arguments.of(
                        UnknownParameter.class,
                        "a(String, String): key must name parameters, which are [user, page], was #usr.length; did you mean user?"),
                Arguments.of(UnknownIndex.class, "a(String): key must name parameters, which are [user], was #p1"),
                Arguments.of(NoKey.class, "a(): keys must have user, because users counts by it, were []"),
                Arguments.of(
                        NoWholeKey.class, "a(String): key must be given, because whole counts by it, was keys [user]"),
                Arguments.of(
                        OtherDimension.class,
                        "a(String): keys must have page, because pages counts by it, were [pages, user]; did you mean pages?"),
                Arguments.of(
                        OneOfTwo.class,
                        "a(String): keys must be given, not key, because pages counts by [user, page], was key #p0"),
                Arguments.of(KeyAndKeys.class, "a(String): key and keys must not both be given, was key #p0"),
                Arguments.of(NoDimension.class, "a(String): keys must be like user=#user.id, were #p0"),
                Arguments.of(CostOfZero.class, "a(): cost must be >= 1, was 0"),
                Arguments.of(BadCost.class, "a(): cost must be an expression of Spring, was a few: "),
                Arguments.of(BadWait.class, "a(): maxWait must be a duration such as 200ms, was soon"),
                Arguments.of(WaitWithoutUnit.class, "a(): maxWait must have a unit, such as 200ms, was 5"),
                Arguments.of(NegativeWait.class, "a(): maxWait must be >= 0, was -1s"),
                Arguments.of(
                        NoFallback.class,
                        "a(): fallback must be another method of NoFallback, was laterr; did you mean later?"),
                Arguments.of(FallbackToItself.class, "a(): fallback must be another method of FallbackToItself, was a"),
                Arguments.of(
                        FallbackOfOtherType.class,
                        "a(): fallback must return String and have the parameters of the method, or these and a last one"),
                Arguments.of(FallbackOfOtherException.class, "a(String): fallback must return void and have"),
                Arguments.of(FallbackOfOtherParameters.class, "a(String): fallback must return void and have"),
                Arguments.of(
                        FallbackOfNoBean.class,
                        "a(): fallback must be of a bean, and there is no names2; did you mean names?"),
                Arguments.of(PrivateMethod.class, "a(): must not be private, because a proxy does not see its calls"),
                Arguments.of(StaticMethod.class, "a(): must not be static, because a proxy does not see its calls"),
                Arguments.of(FinalMethod.class, "a(): must not be final, because a proxy cannot override it"),
                Arguments.of(
                        FinalMethodOfLimitedClass.class, "a(): must not be final, because a proxy cannot override it"),
                Arguments.of(
                        FinalClass.class,
                        "a(): FinalClass must not be final, or have an interface, because a proxy is a subclass of it "
                                + "or has its interfaces"),
                Arguments.of(
                        NotOfTheInterface.class,
                        "a(): must be a method of an interface, because the proxy of the bean has only these"),
                Arguments.of(
                        PlainFuture.class,
                        "a(): must return CompletionStage or CompletableFuture, because a Future does not tell when "
                                + "its work ends, returned Future"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void whatIsWrongStopsTheStart(Class<?> bean, String message) {
        Exception thrown = assertThrows(
                Exception.class, () -> Started.with(registry.names(), bean).close());
        Throwable cause = thrown;
        while (!(cause instanceof BeanDefinitionValidationException)) {
            cause = cause.getCause();
        }
        String expected = "@Limited on " + bean.getSimpleName() + "." + message;
        String found = cause.getMessage();
        assertEquals(expected, found.substring(0, Math.min(found.length(), expected.length())), found);
    }

    @Test
    void allProblemsAreToldAtOnce() {
        Exception thrown = assertThrows(
                BeanDefinitionValidationException.class,
                () -> Started.with(registry.names(), UnknownName.class, CostOfZero.class)
                        .close());
        assertEquals(2, thrown.getMessage().lines().count(), thrown.getMessage());
    }

    @Test
    void withoutNamesTheStartSaysWhatIsMissing() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(Started.Application.class, CostOfZero.class);
            Exception thrown = assertThrows(BeanDefinitionValidationException.class, context::refresh);
            assertEquals(
                    "@Limited on CostOfZero.a(): there must be one bean of dev.weir.named.Names: No qualifying",
                    String.valueOf(thrown.getMessage()).replaceFirst("(?s) bean of type.*", ""));
        }
    }

    static class Declares {
        @Bean
        NamedLimiter declared(Names names) {
            return names.limiter("declared", new Semaphore(1));
        }
    }

    static class UsesDeclared {
        @Limited("declared")
        String a() {
            return "a";
        }
    }

    @Test
    void aLimitMayBeDeclaredByABeanThatIsMadeLater() {
        try (var app = Started.with(registry.names(), UsesDeclared.class, Declares.class)) {
            assertEquals("a", app.getBean(UsesDeclared.class).a());
            Permit held = (Permit) registry.limiter("declared").tryAcquire();
            assertThrows(LimitExceededException.class, app.getBean(UsesDeclared.class)::a);
            held.close();
        }
    }

    @Test
    void withoutLimitedMethodsNamesAreNotNeeded() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(Started.Application.class);
            context.refresh();
            assertEquals(true, context.isActive());
        }
    }
}
