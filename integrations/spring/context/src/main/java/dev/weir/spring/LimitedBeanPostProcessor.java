package dev.weir.spring;

import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionValidationException;
import org.springframework.core.Ordered;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.ClassUtils;

/** Puts limits before beans, and checks the limited methods of all beans when the application starts. */
final class LimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {
    /*
     * The order of the advisors of one bean, from outside:
     *
     *     @Async (LOWEST_PRECEDENCE)  >  this (LOWEST_PRECEDENCE)  >  Spring 7's @Retryable (LOWEST_PRECEDENCE - 1)  >  transactions
     *
     * Each of the first three is put before those that are there. Of two of the same order, whichever was registered first runs
     * first, so this one looks for an advisor of @Async and goes behind it. A permit is then acquired by the thread that does
     * the work: what returns void has no other end.
     */
    private static final long serialVersionUID = 1L;

    private transient @Nullable LimitedMethods methods;
    private transient @Nullable ConfigurableListableBeanFactory beans;

    LimitedBeanPostProcessor() {
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        setProxyTargetClass(true);
        beans = (ConfigurableListableBeanFactory) beanFactory;
        LimitedMethods all = new LimitedMethods(beans, new SpelExpressionParser());
        methods = all;
        advisor = new DefaultPointcutAdvisor(new Annotated(), new LimitedInterceptor(all));
    }

    private static final class Annotated extends StaticMethodMatcherPointcut {
        private Annotated() {
            setClassFilter(LimitedMethods::isCandidate);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LimitedMethods.annotation(method, targetClass) != null;
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        // The proxy of a bean with a scope is one of them: what it calls is limited already.
        if (bean instanceof AopInfrastructureBean || !LimitedMethods.isCandidate(type)) {
            return bean;
        }
        for (Method method : LimitedMethods.of(type)) {
            String unreachable = LimitedMethods.unreachable(method, ClassUtils.getUserClass(type));
            if (unreachable != null) {
                throw new BeanDefinitionValidationException(LimitedMethods.problem(method, unreachable));
            }
        }
        if (isLimited(bean)) {
            return bean; // another name of one that has been here, or a bean of another context
        }
        if (bean instanceof Advised advised && !advised.isFrozen() && isEligible(type)) {
            advised.addAdvisor(behindAsync(advised.getAdvisors()), Objects.requireNonNull(advisor));
            return checked(bean, type);
        }
        return checked(super.postProcessAfterInitialization(bean, beanName), type);
    }

    private static int behindAsync(Advisor[] advisors) {
        int behind = 0;
        for (int i = 0; i < advisors.length; i++) {
            behind = advisors[i] instanceof AsyncAnnotationAdvisor ? i + 1 : behind;
        }
        return behind;
    }

    /* A class that is final can still be proxied by its interfaces. */
    @Override
    protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
        ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
        if (Modifier.isFinal(bean.getClass().getModifiers())) {
            factory.setProxyTargetClass(false);
        }
        return factory;
    }

    /* Of a proxy by interfaces, what they do not have cannot be called. */
    private static Object checked(Object bean, Class<?> type) {
        if (bean instanceof Advised advised && AopUtils.isJdkDynamicProxy(bean)) {
            for (Method method : LimitedMethods.of(type)) {
                boolean isSeen = Stream.of(advised.getProxiedInterfaces())
                        .flatMap(each -> Stream.of(each.getMethods()))
                        .anyMatch(each ->
                                AopUtils.getMostSpecificMethod(each, type).equals(method));
                if (!isSeen) {
                    throw new BeanDefinitionValidationException(LimitedMethods.problem(
                            method, "must be a method of an interface, because the proxy of the bean has only these"));
                }
            }
        }
        return bean;
    }

    /** Checks the limited methods of all beans, also of those that are made later. */
    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = beans;
        LimitedMethods all = methods;
        if (factory == null || all == null) {
            return;
        }
        List<String> problems = new ArrayList<>();
        for (String name : factory.getBeanDefinitionNames()) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : type(factory, name);
            if (type != null && LimitedMethods.isCandidate(type)) {
                all.check(type, problems);
                warnIfUnlimited(factory, name, type);
            }
        }
        if (!problems.isEmpty()) {
            throw new BeanDefinitionValidationException(String.join("\n", problems));
        }
    }

    private static @Nullable Class<?> type(ConfigurableListableBeanFactory factory, String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(factory, name);
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    private void warnIfUnlimited(ConfigurableListableBeanFactory factory, String name, Class<?> type) {
        Object made = factory.isFactoryBean(name) ? null : factory.getSingleton(name);
        if (made != null && !LimitedMethods.of(type).isEmpty() && !isLimited(made)) {
            System.getLogger(Limited.class.getName())
                    .log(
                            Level.WARNING,
                            "@Limited of the bean " + name
                                    + " has no effect: it was made before limits were, because a bean post "
                                    + "processor or a bean factory post processor needs it");
        }
    }

    private static boolean isLimited(Object bean) {
        Object behind = bean;
        while (behind instanceof Advised proxy) {
            if (Stream.of(proxy.getAdvisors()).anyMatch(each -> each.getAdvice() instanceof LimitedInterceptor)) {
                return true;
            }
            behind = AopProxyUtils.getSingletonTarget(proxy);
        }
        return false;
    }

    private record LimitedInterceptor(LimitedMethods methods) implements MethodInterceptor {
        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            Class<?> type = LimitedMethod.target(invocation).getClass();
            return methods.find(invocation.getMethod(), type).call(invocation);
        }
    }
}
