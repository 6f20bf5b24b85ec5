package dev.weir.spring.boot;

import dev.weir.http.ClientAddress;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The auto-configuration of the limits before a server: the {@link Routes} of {@code weir.web}, unless there is a bean. A {@link
 * RequestKey} is a key under the name of its bean, and a {@link ClientAddress} finds the addresses of clients.
 */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@EnableConfigurationProperties(WebProperties.class)
final class WeirRoutesAutoConfiguration {
    private static final String NAME = "weirRoutes";
    private static final String FORWARDED = "server.forward-headers-strategy";

    @Bean(NAME)
    @Conditional(Given.class)
    @ConditionalOnMissingBean
    Routes weirRoutes(
            Names names,
            WebProperties properties,
            ObjectProvider<ClientAddress> clients,
            Map<String, RequestKey> keys,
            Environment environment) {
        if (!properties.proxies().isEmpty() && readsForwarded(environment)) {
            throw new ConfigurationFailure(
                    "weir.web.proxies",
                    "must not be given where the server or Spring reads X-Forwarded-For before: what they leave of the header is what a "
                            + "client may invent; set server.forward-headers-strategy to none, also on platforms where it is "
                            + "native without being set, or remove weir.web.proxies");
        }
        Routes routes = new RouteReader(names, properties, clients.getIfAvailable(), keys).routes();
        if (properties.proxies().isEmpty() && readsForwarded(environment)) {
            RouteLog.warnOfAddresses(routes, names, clients.getIfAvailable());
        }
        RouteLog.warnOfHealth(routes, environment);
        return routes;
    }

    /* As Spring Boot decides it for its servers. */
    private static boolean readsForwarded(Environment environment) {
        String strategy = environment.getProperty(FORWARDED);
        CloudPlatform platform = strategy == null ? CloudPlatform.getActive(environment) : null;
        return strategy == null
                ? platform != null && platform.isUsingForwardHeaders()
                : !strategy.strip().equalsIgnoreCase("none");
    }

    /** The check that no routes are in properties beside a bean, where they would not be read. */
    @Bean
    SmartInitializingSingleton weirUnusedRoutes(ListableBeanFactory beans, WebProperties properties) {
        return () -> {
            if (!properties.routes().isEmpty() && !beans.containsBeanDefinition(NAME)) {
                throw new ConfigurationFailure(
                        "weir.web.routes", "must not be given beside a bean that is Routes; remove one of them");
            }
        };
    }

    static final class Given implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("weir.web.routes", Bindable.listOf(Map.class))
                    .isBound();
        }
    }
}
