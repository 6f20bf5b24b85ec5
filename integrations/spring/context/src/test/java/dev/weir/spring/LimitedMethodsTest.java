package dev.weir.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.named.Names;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** A limited method is resolved once for all beans of its class. */
class LimitedMethodsTest {
    /** Counts what it parses. */
    private static final class CountingParser implements ExpressionParser {
        private final ExpressionParser parser = new SpelExpressionParser();
        private final List<String> parsed = new ArrayList<>();

        @Override
        public Expression parseExpression(String text) {
            parsed.add(text);
            return parser.parseExpression(text);
        }

        @Override
        public Expression parseExpression(String text, ParserContext context) {
            parsed.add(text);
            return parser.parseExpression(text, context);
        }
    }

    static class Shop {
        @Limited(name = "checkout", key = "#user", cost = "#count * 2")
        void sell(String user, int count) {}
    }

    @Test
    void expressionsAreParsedOnce() throws Exception {
        try (Names names = Names.builder().build()) {
            names.limiter("checkout", Keyed.of(TokenBucket.of(10, Duration.ofHours(1)), 100));
            DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
            beans.registerSingleton("names", names);
            CountingParser parser = new CountingParser();
            LimitedMethods methods = new LimitedMethods(beans, parser);
            Method sell = Shop.class.getDeclaredMethod("sell", String.class, int.class);

            LimitedMethod first = methods.find(sell, Shop.class);
            for (int i = 1; i <= 100; i++) {
                assertEquals(
                        2L * i,
                        first.requests().of(new Shop(), new Object[] {"ann", i}).permits());
                assertSame(first, methods.find(sell, Shop.class));
            }
            assertEquals(List.of("#user", "#count * 2"), parser.parsed);
        }
    }

    /* A bean may be made under a lock that another thread holds, which calls a limited method meanwhile. */
    @Test
    void aMethodIsResolvedUnderNoLock() throws Exception {
        try (Names names = Names.builder().build()) {
            names.limiter("checkout", Keyed.of(TokenBucket.of(10, Duration.ofHours(1)), 100));
            DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
            beans.registerSingleton("names", names);
            CountDownLatch first = new CountDownLatch(1);
            CountDownLatch second = new CountDownLatch(1);
            LimitedMethods methods = new LimitedMethods(beans, new SpelExpressionParser() {
                @Override
                protected SpelExpression doParseExpression(String text, @Nullable ParserContext context) {
                    if (first.getCount() > 0) {
                        first.countDown();
                        Awaitility.await().until(() -> second.getCount() == 0);
                    }
                    return super.doParseExpression(text, context);
                }
            });
            Method sell = Shop.class.getDeclaredMethod("sell", String.class, int.class);

            CompletableFuture<LimitedMethod> slow = CompletableFuture.supplyAsync(() -> methods.find(sell, Shop.class));
            first.await();
            LimitedMethod found = CompletableFuture.supplyAsync(() -> methods.find(sell, Shop.class))
                    .get(20, TimeUnit.SECONDS);
            second.countDown();
            assertSame(found, slow.get(20, TimeUnit.SECONDS));
        }
    }
}
