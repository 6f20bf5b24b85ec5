package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Outcome;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** A limit is outside of what else is put around a method: retries share a permit, and a transaction begins under it. */
class LimitedOrderTest {
    private final Names names = Names.builder().executor(Runnable::run).build();
    private final Released released = Released.of(names);

    @AfterEach
    void close() {
        names.close();
    }

    static class Shop {
        private final Names names;
        private int attempts;

        Shop(Names names) {
            this.names = names;
        }

        @Limited("checkout")
        String sell() {
            if (++attempts < 3) {
                throw new IllegalStateException("not yet");
            }
            return "sold with " + names.limiter("checkout").snapshot().inFlight() + " permit";
        }
    }

    /** Retries as those of Spring 7: before the advisors that are there, before those of the last post processors. */
    static class Retries extends AbstractBeanFactoryAwareAdvisingPostProcessor {
        private static final long serialVersionUID = 1L;

        Retries() {
            setBeforeExistingAdvisors(true);
            setOrder(Ordered.LOWEST_PRECEDENCE - 1);
            MethodInterceptor retry = invocation -> {
                while (true) {
                    try {
                        return ((ProxyMethodInvocation) invocation)
                                .invocableClone()
                                .proceed();
                    } catch (IllegalStateException e) {
                        // The next attempt.
                    }
                }
            };
            advisor = new DefaultPointcutAdvisor(retry);
        }

        @Override
        protected boolean isEligible(Class<?> type) {
            return Shop.class.isAssignableFrom(type);
        }
    }

    @Test
    void attemptsShareOnePermit() {
        names.limiter("checkout", new Semaphore(1));
        try (var app = Started.with(names, Retries.class, Shop.class)) {
            assertEquals("sold with 1 permit", app.getBean(Shop.class).sell());
            assertEquals(List.of(Outcome.SUCCESS), released.outcomes());
        }
    }

    /** Transactions are put around beans by a creator of proxies with this order. */
    static class Transactions {
        @Bean
        static BeanNameAutoProxyCreator creator() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("shop");
            creator.setInterceptorNames("transaction");
            creator.setProxyTargetClass(true);
            creator.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return creator;
        }

        @Bean
        static MethodInterceptor transaction(Names names) {
            return invocation -> invocation.getMethod().getName().equals("sell")
                    ? "begun with " + names.limiter("checkout").snapshot().inFlight() + " permit"
                    : invocation.proceed();
        }

        @Bean
        Shop shop(Names names) {
            return new Shop(names);
        }
    }

    @Test
    void aTransactionBeginsUnderThePermit() {
        names.limiter("checkout", new Semaphore(1));
        try (var app = Started.with(names, Transactions.class)) {
            assertEquals("begun with 1 permit", app.getBean(Shop.class).sell());
            assertEquals(List.of(Outcome.SUCCESS), released.outcomes());
        }
    }
}
