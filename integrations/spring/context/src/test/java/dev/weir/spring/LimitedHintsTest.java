package dev.weir.spring;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** The hints of an application that is processed ahead of time. */
class LimitedHintsTest {
    @Configuration(proxyBeanMethods = false)
    @EnableLimited
    static class Application {}

    record Account(String number) {}

    static class Order {
        Account account() {
            return new Account("7");
        }

        public String customer() {
            return account().number();
        }
    }

    static class Shop {
        @Limited(name = "checkout", key = "#order.customer", fallback = "later")
        String sell(Order order) {
            return "sold";
        }

        private String later(Order order, Rejection refused) {
            return "later";
        }

        @Limited(name = "checkout", fallback = "desk::ask")
        String wrap() {
            return "wrapped";
        }

        String notCalledByReflection() {
            return "";
        }
    }

    static class Desk {
        String ask() {
            return "asked";
        }
    }

    private static RuntimeHints hints() {
        try (Names names = Names.builder().build()) {
            names.limiter("checkout", new Semaphore(1));
            AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
            context.register(Application.class, Shop.class);
            context.registerBean("desk", Desk.class);
            DefaultGenerationContext generation = new DefaultGenerationContext(
                    new ClassNameGenerator(ClassName.get(LimitedHintsTest.class)), new InMemoryGeneratedFiles());
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
            return generation.getRuntimeHints();
        }
    }

    private static boolean isInvoked(RuntimeHints hints, Class<?> type, String name) {
        Method method = Stream.of(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        boolean isNamed = hints.reflection()
                .typeHints()
                .filter(hint -> hint.getType().getCanonicalName().equals(type.getCanonicalName()))
                .flatMap(hint -> hint.methods())
                .filter(hint -> hint.getMode() == ExecutableMode.INVOKE)
                .map(ExecutableHint::getName)
                .anyMatch(method.getName()::equals);
        return isNamed
                || RuntimeHintsPredicates.reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)
                                .test(hints)
                        && Modifier.isPublic(method.getModifiers());
    }

    @Test
    void whatIsCalledByReflectionIsHinted() {
        RuntimeHints hints = hints();
        assertTrue(isInvoked(hints, Shop.class, "sell"));
        assertTrue(isInvoked(hints, Shop.class, "later"));
        assertTrue(isInvoked(hints, Shop.class, "wrap"));
        assertTrue(isInvoked(hints, Desk.class, "ask"));
        assertTrue(isInvoked(hints, Order.class, "customer"));
        assertFalse(isInvoked(hints, Shop.class, "notCalledByReflection"));
    }
}
