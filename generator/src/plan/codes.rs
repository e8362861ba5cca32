//! The codes of planning, each with what it means, why it is refused and what to do.

crate::codes! {
    NAME = "BL2001", "A key cannot be part of a name",
        "Keys of sites, zones, tiers, classes, images, clusters and machine sets become parts of object names: lower-case letters, digits and `-`, starting and ending with a letter or digit, at most 253 characters. Long names are shortened with a hash where Kubernetes or Cluster API allow less.";
    UNKNOWN_SELECTION = "BL2002", "A selection names something that the fleet does not have",
        "`tier=`, `cluster=` and `site=` take keys of the fleet, several separated by commas. A selection that matched nothing would otherwise render nothing and look like success.";
    EMPTY_SELECTION = "BL2003", "A selection leaves nothing",
        "Each name exists, but no cluster and no machine set matches all of them at once.";
    UNKNOWN_REFERENCE = "BL2004", "A name refers to something that the fleet does not have",
        "Tiers, classes, images, sites, zones and provider classes are referred to by their key in the fleet.";
    NO_SITE = "BL2005", "A cluster does not say where it runs",
        "Exactly one of `sites` and `siteSelector` is set, and the selector matches at least one site.";
    NAME_TWINS = "BL2006", "Two things would have one name",
        "Two entries of the fleet lead to the same object. Rename one of them.";
    SITE_INCOMPLETE = "BL2007", "A site does not say what its backend needs",
        "vSphere needs an endpoint, credentials, and a datacenter and cluster for each zone; libvirt needs an endpoint and credentials for each host; the simulator needs an endpoint.";
    UNDECLARED_SECRET = "BL2008", "A Secret is not declared",
        "Secrets are never rendered, only referred to. Declaring their names, and optionally their keys, under `secrets` lets a wrong name be found here and not at night.";
    NO_SUCH_MACHINE = "BL2009", "An override is for a machine that there is none of",
        "Machines of a set are numbered from 0 to `replicas` - 1.";
    TOO_FEW_DOMAINS = "BL2010", "A tier needs more failure domains than the sites have",
        "Every zone of every site of the cluster is one failure domain.";
    MIXED_BACKENDS = "BL2011", "A cluster uses sites of several backends",
        "Cluster API gives a cluster one kind of infrastructure cluster.";
    NO_CONTROL_PLANE_DOMAIN = "BL2012", "No zone may hold the control plane",
        "Each zone of the cluster says `controlPlane: false`.";
    NO_ENDPOINT = "BL2013", "A control plane on machines has no stable address",
        "Its members come and go; clients need one address that stays, such as a virtual IP or a load balancer.";
    BROKEN_PROMISE = "BL2014", "A tier promises to survive a loss that the cluster does not",
        "`banlieue-gen plan` shows for each cluster what is left after the worst loss of a failure domain and of a site: workers against `minAvailable`, and control-plane members against quorum.";
}
