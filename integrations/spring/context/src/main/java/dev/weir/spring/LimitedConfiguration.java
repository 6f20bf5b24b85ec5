package dev.weir.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * The beans that make {@link Limited} work. It needs one bean of {@link dev.weir.named.Names}, which is asked for when the first
 * limited method is checked, and makes these beans:
 *
 * <ul>
 *   <li>{@code weirLimitedBeanPostProcessor} puts a proxy before each bean with limited methods, and checks all of them when the
 *       application has its singletons.
 *   <li>with Spring MVC, {@code weirRejectionResolver} answers requests whose controller throws a {@link
 *       dev.weir.LimitExceededException}, of any limit, with the status and the fields of {@link dev.weir.http.RateLimitFields}; the
 *       handlers of the application come first
 *   <li>with Spring WebFlux, {@code weirRejectionHandler} does the same.
 * </ul>
 *
 * <p>The proxy is a subclass of the bean's class, or has its interfaces if that is final. Its limits are outside of transactions and of
 * Spring's own retries, whose attempts share one permit, and inside of {@code @Async}, so that a permit is held by the work and
 * not by its place in the queue of an executor.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LimitedConfiguration.ForWeb.class)
public final class LimitedConfiguration {
    /** For Spring. */
    public LimitedConfiguration() {}

    static final class ForWeb implements ImportSelector {
        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            ClassLoader loader = ForWeb.class.getClassLoader();
            List<String> found = new ArrayList<>();
            if (ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", loader)
                    && ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", loader)) {
                found.add("dev.weir.spring.LimitedWebMvcConfiguration");
            }
            if (ClassUtils.isPresent("org.springframework.web.reactive.DispatcherHandler", loader)
                    && ClassUtils.isPresent("reactor.core.publisher.Mono", loader)) {
                found.add("dev.weir.spring.LimitedWebFluxConfiguration");
            }
            return found.toArray(String[]::new);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitedBeanPostProcessor weirLimitedBeanPostProcessor() {
        return new LimitedBeanPostProcessor();
    }
}
