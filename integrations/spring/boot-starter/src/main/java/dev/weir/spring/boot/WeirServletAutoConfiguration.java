package dev.weir.spring.boot;

import dev.weir.http.Routes;
import dev.weir.servlet.WeirFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * The auto-configuration of limits before servlets: a {@link WeirFilter} with the {@link Routes} that are a bean, after the filter of
 * Spring Security, so that a limit may count by the user. {@code weir.web.order} sets another order.
 */
@AutoConfiguration(after = WeirRoutesAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
final class WeirServletAutoConfiguration {
    @Bean
    @ConditionalOnBean(Routes.class)
    @ConditionalOnMissingBean(name = "weirFilter")
    FilterRegistrationBean<WeirFilter> weirFilter(Routes routes, WebProperties properties) {
        FilterRegistrationBean<WeirFilter> registration = new FilterRegistrationBean<>(new WeirFilter(routes));
        registration.setName("weirFilter");
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setOrder(properties.order());
        return registration;
    }
}
