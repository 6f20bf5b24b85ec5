package dev.weir.spring;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * The beans that make {@link Limited} work. It needs one bean of {@link dev.weir.named.Names}, which is asked for when the first
 * limited method is found, and makes one bean:
 *
 * <ul>
 *   <li>{@code weirLimitedBeanPostProcessor} puts a proxy before each bean with limited methods, and checks all of them when the
 *       application has its singletons.
 * </ul>
 *
 * <p>The proxy is a subclass of the bean's class, or has its interfaces if that is final. Its limits are outside of transactions and of
 * Spring's own retries, whose attempts share one permit, and inside of {@code @Async}, so that a permit is held by the work and not by its place
 * in the queue of an executor.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LimitedConfiguration {
    /** For Spring. */
    public LimitedConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitedBeanPostProcessor weirLimitedBeanPostProcessor() {
        return new LimitedBeanPostProcessor();
    }
}
