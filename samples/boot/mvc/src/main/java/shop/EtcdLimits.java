package shop;

import dev.weir.config.source.ConfigSource;
import dev.weir.etcd.EtcdSource;
import io.etcd.jetcd.Client;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** The limits are in etcd, in place of application.yml, with the profile "etcd". */
@Configuration(proxyBeanMethods = false)
@Profile("etcd")
class EtcdLimits {
    @Bean
    ConfigSource limits(@Value("${etcd}") String address) {
        return EtcdSource.connect(Client.builder().endpoints(address), "weir/limits.yaml");
    }
}
